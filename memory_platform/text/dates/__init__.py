"""How dates are told: names of days and months, words that tell past from future, forms of one language each."""
