import Foundation
import LocalStore
@_exported public import PatchbayErrors

/// Error while reading a row stream or applying a delta.
///
/// It never contains stream content, only the byte offset and what was expected there.
public struct DeltaError: PatchbayError {
    /// Kind of failure. Compare with `==`; new codes may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// The stream is not valid JSON, or not of the expected structure.
        public static let malformed = Code(name: "malformed", number: 1)
        /// The stream ended before it was complete.
        public static let truncated = Code(name: "truncated", number: 2)
        /// A row exceeds the maximum length.
        public static let rowTooLarge = Code(name: "rowTooLarge", number: 3)
        /// A row has a column that its table does not have.
        public static let unknownColumn = Code(name: "unknownColumn", number: 4)
        /// A row has the same column twice.
        public static let duplicateColumn = Code(name: "duplicateColumn", number: 5)
        /// A row or a deletion lacks a column of the primary key, or has null there.
        public static let missingKey = Code(name: "missingKey", number: 6)
        /// The stream contains an unknown operation.
        public static let unknownOperation = Code(name: "unknownOperation", number: 7)
        /// The delta names a table that is not in its target.
        public static let unknownTable = Code(name: "unknownTable", number: 8)
        /// The delta is for another resource, or its table has another primary key.
        public static let mismatch = Code(name: "mismatch", number: 9)
        /// The row counts at the end of the delta differ from the rows received.
        public static let wrongCount = Code(name: "wrongCount", number: 10)
        /// The base version of the delta is not the stored version.
        public static let gap = Code(name: "gap", number: 11)
        /// Another delta is being applied to the same tables.
        public static let busy = Code(name: "busy", number: 12)
        /// The call was cancelled; nothing was changed.
        public static let cancelled = Code(name: "cancelled", number: 13)
        /// The store failed; see ``DeltaError/underlying``. Nothing was changed.
        public static let store = Code(name: "store", number: 14)
        /// The source of the delta failed; see ``DeltaError/underlying``. Nothing was changed.
        public static let source = Code(name: "source", number: 15)
    }

    /// The kind of failure.
    public let code: Code
    /// What is wrong and what to do about it, for a developer.
    public let message: String
    /// Byte offset in the stream, when the stream is at fault.
    public let offset: Int?
    /// The error of the store or the source.
    public let underlying: (any Error)?

    /// Creates an error. `message` must not contain stream content.
    public init(_ code: Code, _ message: String, offset: Int? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.offset = offset
        self.underlying = underlying
    }

    /// The message with the code and the offset.
    public var description: String { "\(message) [\(code)\(offset.map { ", byte \($0)" } ?? "")]" }
}

extension DeltaError {
    init(stop: JSONScanner.Stop, at offset: Int) {
        let code: Code =
            switch stop.expected {
            case .shorterRow: .rowTooLarge
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
            case .rowTooLarge: "Row too large"
            case .unknownColumn: "Unknown column"
            case .duplicateColumn: "Duplicate column"
            case .missingKey: "Missing key"
            case .unknownTable: "Unknown table"
            case .mismatch: "Key mismatch"
            case .unknownOperation: "Unknown operation"
            default: "Malformed stream"
            }
        self.init(code, "\(kind) at byte \(offset): expected \(stop.expected.rawValue).", offset: offset)
    }

    init(truncatedAt offset: Int, expected: Expectation) {
        self.init(
            .truncated, "Unexpected end of the stream at byte \(offset): expected \(expected.rawValue).", offset: offset
        )
    }

    /// Wraps an error of a transaction or its body.
    init(wrapping error: any Error) {
        switch error {
        case let error as DeltaError: self = error
        case let error as StoreError where error.code == .busy:
            self.init(.busy, "Store is busy: timed out waiting for another writer; retry later.", underlying: error)
        case let error as StoreError: self.init(store: error)
        default: self.init(.source, "The delta source failed; see `underlying`.", underlying: error)
        }
    }

    init(store error: StoreError) { self.init(.store, "Store error: \(error.message)", underlying: error) }
}
