"""The rows that were written for this project: those of whole answers, and the kinds of claims."""
