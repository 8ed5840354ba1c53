import Foundation
import HTTPMessages
import JSON
@_exported public import PatchbayErrors
import StoreCore

/// Error while reading a row stream or applying a delta.
///
/// It names columns and tables, also unknown ones of the stream. It never contains a value, only the byte offset and
/// what was expected there.
public struct DeltaError: ValueFreeError {
    /// The kind of failure.
    public let code: Code
    /// What is wrong and what to do about it, for a developer.
    public let message: String
    /// Byte offset in the stream, when the stream is at fault.
    public let offset: Int?
    /// The error of the store or the source.
    public let underlying: (any Error)?

    /// Creates an error. `message` must not contain values of the stream.
    public init(_ code: Code, _ message: String, offset: Int? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.offset = offset
        self.underlying = underlying
    }

    /// The message with the code and the offset.
    public var description: String { "\(message) [\(code)\(offset.map { ", byte \($0)" } ?? "")]" }
}

extension ErrorCode where Failure == DeltaError {
    /// The stream is not valid JSON, or not of the expected structure.
    public static var malformed: Self { Self(1) }
    /// The stream ended before it was complete.
    public static var truncated: Self { Self(2) }
    /// A row exceeds the maximum length.
    public static var rowTooLarge: Self { Self(3) }
    /// A row has a column that its table does not have.
    public static var unknownColumn: Self { Self(4) }
    /// A row has the same column twice.
    public static var duplicateColumn: Self { Self(5) }
    /// A row or a deletion lacks a column of the primary key, or has null there.
    public static var missingKey: Self { Self(6) }
    /// The stream contains an unknown operation.
    public static var unknownOperation: Self { Self(7) }
    /// The delta names a table that is not in its target.
    public static var unknownTable: Self { Self(8) }
    /// The delta is for another resource, or its table has another primary key.
    public static var mismatch: Self { Self(9) }
    /// The row counts at the end of the delta differ from the rows received.
    public static var wrongCount: Self { Self(10) }
    /// The base version of the delta is not the stored version.
    public static var gap: Self { Self(11) }
    /// Another delta is being applied to the same tables, or they were changed or invalidated meanwhile.
    public static var busy: Self { Self(12) }
    /// The call was cancelled; nothing was changed.
    public static var cancelled: Self { Self(13) }
    /// The store failed; see ``DeltaError/underlying``. Nothing was changed.
    public static var store: Self { Self(14) }
    /// The source of the delta failed; see ``DeltaError/underlying``. Nothing was changed.
    public static var source: Self { Self(15) }
}

extension DeltaError {
    /// - Parameter name: the name that the stream has there, if one was expected.
    init(stop: JSONScanner.Stop, at offset: Int, name: String?) {
        let code: Code =
            switch stop.expected {
            case .knownColumn: .unknownColumn
            case .newColumn: .duplicateColumn
            case .key: .missingKey
            case .knownTable: .unknownTable
            case .sameKey: .mismatch
            case .operation: .unknownOperation
            default: .malformed
            }
        let kind =
            switch code {
            case .unknownColumn: "Unknown column"
            case .duplicateColumn: "Duplicate column"
            case .missingKey: "Missing key"
            case .unknownTable: "Unknown table"
            case .mismatch: "Key mismatch"
            case .unknownOperation: "Unknown operation"
            default: "Malformed stream"
            }
        let found = name.map { " " + $0.debugDescription } ?? ""
        self.init(code, "\(kind)\(found) at byte \(offset): expected \(stop.expected.text).", offset: offset)
    }

    init(truncatedAt offset: Int, expected: JSONScanner.Expectation) {
        self.init(
            .truncated, "Unexpected end of the stream at byte \(offset): expected \(expected.text).", offset: offset
        )
    }

    static var cancelled: DeltaError { DeltaError(.cancelled, "Cancelled; nothing was changed.") }

    /// Wraps an error of a transaction or its body.
    init(wrapping error: any Error) {
        switch error {
        case let error as DeltaError: self = error
        case is CancellationError: self = .cancelled
        case let error as StoreError where error.code == .busy:
            self.init(.busy, "Store is busy: timed out waiting for another writer; retry later.", underlying: error)
        case let error as StoreError: self.init(store: error)
        default: self = .source("The delta source failed", error)
        }
    }

    /// The error for a failure of a source, with the message of its cause if that has no values.
    ///
    /// Of the error of a response it has the status.
    package static func source(_ problem: String, _ cause: any Error) -> DeltaError {
        let reason =
            switch cause {
            case let cause as any ValueFreeError: ": \(cause.message)"
            case let cause as any HTTPStatusError: ": \(cause.status); see `underlying`."
            default: "; see `underlying`."
            }
        return DeltaError(.source, problem + reason, underlying: cause)
    }

    init(store error: StoreError) { self.init(.store, "Store error: \(error.message)", underlying: error) }
}
