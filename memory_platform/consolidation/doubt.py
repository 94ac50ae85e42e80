"""Which relations of claims are in doubt, and what two opinions on one come to."""

from dataclasses import asdict

from memory_platform.model import ClaimRelation, RelationThresholds


def is_doubtful(relation: ClaimRelation, thresholds: RelationThresholds) -> bool:
    """Whether something would follow from the relation if it were surer: a merge, a closing, or an open question."""
    if relation.same >= thresholds.merge or relation.replaces >= thresholds.close:
        return False
    return max(relation.same, relation.replaces + relation.conflict) >= thresholds.doubt


def agreed(first: ClaimRelation, second: ClaimRelation) -> ClaimRelation:
    """Two independent opinions as one: the product of their probabilities, made to sum up to 1.

    Where both lean the same way it is surer than either; a second opinion of equal shares changes nothing. Where they
    exclude each other, nothing is known but that the pair is not to be acted on.
    """
    own, other = asdict(first), asdict(second)
    products = {name: own[name] * other[name] for name in own}
    total = sum(products.values())
    return ClaimRelation(**{name: product / total for name, product in products.items()}) if total else ClaimRelation()
