"""Questions over one state, answered by the probabilities of labels: yes or no, options, levels."""
