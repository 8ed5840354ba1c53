import Foundation
import HTTPMessages
@_exported public import PatchbayErrors

/// Error of a recording. Its texts contain no secrets.
public struct RecordingError: PatchbayError {
    /// The kind of error.
    public let code: Code
    /// The problem and its remedy, for developers.
    public let message: String
    /// The redacted URL of the request, or nil.
    public var failingURL: String?
    /// The number of the exchange in the recording, starting at 0: the damaged one, or the nearest to an unmatched
    /// request.
    public var exchange: Int?
    /// The line of the file, starting at 1; nil if the error is not in its text.
    public var line: Int?
    /// How an unmatched request differs from the nearest recording.
    public var differences: [RequestDifference] = []
    /// The error of the system or of the JSON reader.
    public var underlying: (any Error)?

    init(
        _ code: Code, _ message: String, url: String? = nil, exchange: Int? = nil, line: Int? = nil,
        underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        failingURL = url
        self.exchange = exchange
        self.line = line
        self.underlying = underlying
    }

    static func tooLarge(_ request: HTTPRequest, _ rules: RecordingRules) -> RecordingError {
        RecordingError(
            .bodyTooLarge,
            "A body of \(rules.text(request)) exceeds \(rules.maximumBodyBytes) bytes; raise `maximumBodyBytes`, or exclude "
                + "the request by `includes`.", url: rules.redaction.redacted(request.url))
    }

    /// The message with the differences and the place, and the code.
    public var description: String {
        var text = message
        if let line { text = "Recording, \(exchange.map { "exchange \($0), " } ?? "")line \(line): \(text)" }
        if !differences.isEmpty { text += " " + differences.map(\.description).joined(separator: "; ") + "." }
        return "\(text) [\(code)]"
    }
}

extension ErrorCode where Failure == RecordingError {
    /// The file cannot be read.
    public static var unreadableFile: Self { Self(1) }
    /// The file cannot be written; it is unchanged.
    public static var unwritableFile: Self { Self(2) }
    /// The file is not JSON, or an exchange in it is damaged.
    public static var malformed: Self { Self(3) }
    /// The file has a version that this package does not read.
    public static var unsupportedVersion: Self { Self(4) }
    /// No recording matches the request, or all that match are used; see ``RecordingError/differences``.
    public static var noMatch: Self { Self(5) }
    /// The recording contains a secret; nothing was written.
    public static var secretFound: Self { Self(6) }
    /// A body is longer than ``RecordingRules/maximumBodyBytes``.
    public static var bodyTooLarge: Self { Self(7) }
    /// Recorded exchanges were not requested.
    public static var unused: Self { Self(8) }
    /// Nothing was recorded; the file is unchanged.
    public static var nothingRecorded: Self { Self(9) }
}
