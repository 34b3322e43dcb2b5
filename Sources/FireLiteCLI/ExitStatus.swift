/// How a run of the tool ended, for the shell.
enum ExitStatus: Int32 {
    /// The command succeeded.
    case done = 0
    /// Something was rejected, not found or unsound.
    case incomplete = 1
    /// The command line is wrong; nothing was done.
    case usage = 2
    /// The database or the system failed.
    case failed = 3
    /// The reader of standard output closed it: the status that shells report for a tool ended by SIGPIPE.
    case unread = 141
}
