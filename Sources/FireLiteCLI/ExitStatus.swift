/// How a run of the tool ended, for the shell.
enum ExitStatus: Int32 {
    /// Everything asked for was done.
    case done = 0
    /// Something was rejected, not found or not sound.
    case incomplete = 1
    /// The command line is wrong; nothing was done.
    case usage = 2
    /// The database or the system failed.
    case failed = 3
    /// Whoever read standard output wanted no more: the status that shells give to a tool which ends by SIGPIPE.
    case unread = 141
}
