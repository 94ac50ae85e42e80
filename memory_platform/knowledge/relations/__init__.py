"""What a parsed text states of whom and what it names: subject, predicate, object, by its dependencies.

Only what is asserted (assertion.py) becomes a statement. A predicate is the verb with its particle and preposition; a
small vocabulary (predicates.py) gives the states that change over a life one name each, so that a later value can end
an earlier one. A sentence is read with the names in it (annotated_sentence.py); its verbs, its nouns and the roles that
it tells of make the statements.
"""
