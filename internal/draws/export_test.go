package draws

// FrequencySQL is the statement of Frequencies, to be examined.
const FrequencySQL = frequencySQL
