import Foundation

/// The seconds of CPU time that this thread has used: what other tests and programs do at the same time is not in them.
public func threadSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}
