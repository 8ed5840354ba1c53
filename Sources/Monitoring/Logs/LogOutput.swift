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

    /// The standard error of the process, where most systems add the time.
    public static let standardError = LogOutput { line in
        try? FileHandle.standardError.write(contentsOf: Data("\(line.text)\n".utf8))
    }

    /// A file or a pipe, in which each line begins with its time in UTC and its level; lines that cannot be written are
    /// dropped.
    ///
    /// ```
    /// 2026-11-26T08:15:03.120Z info 5f3a90c1-2b < 200 OK, 512 bytes in 240.7 ms
    /// ```
    public static func file(_ handle: FileHandle) -> LogOutput {
        LogOutput { line in
            let time = line.date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            try? handle.write(contentsOf: Data("\(time) \(line.severity) \(line.text)\n".utf8))
        }
    }
}
