public import Foundation
public import HTTPMessages

/// One line of a text log, without secrets and line breaks.
public struct LogLine: Hashable, Sendable, CustomStringConvertible {
    /// How much the line matters.
    @nonexhaustive public enum Severity: Int, Hashable, Sendable, Comparable {
        /// A detail of a call.
        case debug
        /// The start or the end of a call.
        case info
        /// A retry, or another step that a call needs only after a failure.
        case notice
        /// The failure of a call, or a status of 400 or more.
        case error

        /// Compares by importance.
        public static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
    }

    /// The call.
    public let call: CallID
    /// How much it matters.
    public let severity: Severity
    /// The text, which begins with the ID of the call.
    public let text: String
    /// The time of the event.
    public let date: Date

    /// Creates a line.
    public init(call: CallID, severity: Severity, text: String, date: Date = Date()) {
        self.call = call
        self.severity = severity
        self.text = text
        self.date = date
    }

    /// Same as ``text``.
    public var description: String { text }
}
