import Foundation
@_exported public import PatchbayErrors

/// Error while reading or writing an HTTP archive. ``message`` never quotes what the archive contains.
public struct HARError: PatchbayError {
    /// The kind of error.
    public let code: Code
    /// The problem and its remedy, for developers.
    public let message: String
    /// The position of the entry in `log.entries`, starting at 0; nil if the error is not in one.
    public var entry: Int?
    /// The line of the file, starting at 1; nil if the error is not in the text of a file.
    public var line: Int?
    /// The error of the system or of the JSON reader.
    public var underlying: (any Error)?

    /// Creates an error. `message` must not contain secrets.
    public init(
        _ code: Code, _ message: String, entry: Int? = nil, line: Int? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.entry = entry
        self.line = line
        self.underlying = underlying
    }

    /// The place, the message and the code.
    public var description: String {
        let place = [entry.map { "entry \($0)" }, line.map { "line \($0)" }].compactMap(\.self).joined(separator: ", ")
        return place.isEmpty ? "\(message) [\(code)]" : "HAR, \(place): \(message) [\(code)]"
    }
}

extension ErrorCode where Failure == HARError {
    /// The file cannot be read.
    public static var unreadableFile: Self { Self(1) }
    /// The file cannot be written; it is a valid archive with the entries before.
    public static var unwritableFile: Self { Self(2) }
    /// Another writer, perhaps of another process, has the file open.
    public static var fileInUse: Self { Self(3) }
    /// The writer is closed.
    public static var closed: Self { Self(4) }
    /// The text is not JSON, ends too early, or has no `log.entries`.
    public static var malformed: Self { Self(5) }
    /// The archive has a version that is not read: not 1.1, 1.2 or 1.3.
    public static var unsupportedVersion: Self { Self(6) }
    /// An entry does not match the standard. The next one can be read.
    public static var invalidEntry: Self { Self(7) }
    /// An entry is longer than the limit.
    public static var entryTooLong: Self { Self(8) }
    /// A body is not valid Base64.
    public static var invalidBase64: Self { Self(9) }
    /// A body has an encoding that is not `base64`.
    public static var unsupportedEncoding: Self { Self(10) }
}
