"""Interchangeable wordings of what a query, command or snippet does, and why."""

GROUPING = (
    "GROUP BY folds all rows of a site into one",
    "GROUP BY makes one row out of all those of a site",
    "all rows that share a site end up in one group",
)
LIMITING = (
    "LIMIT is applied after the sort, where the item name breaks ties",
    "the rows are sorted first, and LIMIT then keeps two of them",
    "ORDER BY comes before LIMIT, with the item name to break ties",
)
GREP = (
    "grep -c counts matching lines, not single matches",
    "with -c, grep prints the number of such lines, not the lines themselves",
    "a line with two matches still counts once",
)
WITH = ("that contain", "with the letter", "in which there is")
SORT = (
    "-r reverses the order and -u drops repeats",
    "-u keeps one copy of each line, and -r turns the order round",
    "the two options, reverse and unique, can be written together",
)
CAPITALS = (
    "tr replaces every small letter that head lets through",
    "head passes three lines on to tr, which maps a-z to A-Z",
)
UNIQ = (
    "uniq -c only merges neighbouring lines, so they have to be sorted first",
    "the sort brings equal lines together, which uniq -c then counts",
    "without the sort, uniq -c would count each run of equal lines separately",
)
ZIP = (
    "zip stops at the end of the shorter input, after 3 pairs",
    "zip needs a partner for each string, and the list of numbers has only 3 elements",
    "with 3 numbers there can be no more than 3 pairs",
)
ZIP_EVEN = (
    "both lists have 3 elements, and zip takes one from each",
    "zip walks through both lists at once, one pair at a time",
)
REVERSE = (
    "list the distinct lines in reverse order",
    "print each line once, from Z to A",
    "sort the lines backwards and drop repeats",
)
