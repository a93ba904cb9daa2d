"""Quantities as people write them, in English and in Hebrew: numbers, units, dates, times.

`values` reads what an answer states, `figures` where each number of a text stands and how exactly
it is written, `agreement` whether one is among others, `derived` which follow from others.
Nothing here knows what for.
"""
