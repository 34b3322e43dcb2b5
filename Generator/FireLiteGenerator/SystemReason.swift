import Foundation

/// Why the system refused something, in its own words.
enum SystemReason {
    /// The text of the `errno` behind an error of Foundation, `Permission denied` for example; Foundation's own text if there is none.
    static func text(of error: any Error) -> String {
        var current: any Error = error
        while true {
            let bridged = current as NSError
            if bridged.domain == NSPOSIXErrorDomain { return String(cString: strerror(Int32(bridged.code))) }
            guard let next = bridged.userInfo[NSUnderlyingErrorKey] as? any Error else { return bridged.localizedDescription }
            current = next
        }
    }
}
