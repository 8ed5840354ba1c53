public import Foundation

/// Where a text log writes its lines.
///
/// On Apple's platforms there is also `.osLog`.
public struct LogOutput: Sendable {
    let write: @Sendable (LogLine) -> Void

    /// A closure, called on the monitor's thread for one line at a time.
    public init(_ write: @escaping @Sendable (LogLine) -> Void) { self.write = write }

    /// A closure, called on the monitor's thread for one line at a time.
    public static func handler(_ write: @escaping @Sendable (LogLine) -> Void) -> LogOutput { LogOutput(write) }

    /// The standard error of the process.
    public static let standardError = file(.standardError)

    /// A file or a pipe; lines that cannot be written are dropped.
    public static func file(_ handle: FileHandle) -> LogOutput {
        LogOutput { try? handle.write(contentsOf: Data("\($0.text)\n".utf8)) }
    }
}
