package notices

import "errors"

// errMeanwhile makes the task run again: a message was sent while it was to be replaced.
var errMeanwhile = errors.New("notices: a message was sent while it was to be replaced")
