"""Reading the graph: entities, profiles, seeds and ways. All need an open scope and see what it may read."""

from apps.graph.entities import entities, owner_of, seeds, units_naming
from apps.graph.profiles import entity
from apps.graph.ways import path

__all__ = ["entities", "entity", "owner_of", "path", "seeds", "units_naming"]
