"""Numbers, amounts, shares, times and dates of a text, by value: two forms of one value are one."""

from assay.text.quantities.finding import find_quantities
from assay.text.quantities.quantity import Quantity, same_value

__all__ = ["Quantity", "find_quantities", "same_value"]
