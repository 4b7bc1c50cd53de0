"""Publishing: a dataset is checked, uploaded to the Hub, read back and tagged, in this order.

A tag says "complete and proven": it is set last, on the commit that was read back, and never moved.
Every step looks at what is there first, so a run that was killed is simply run again.
"""
