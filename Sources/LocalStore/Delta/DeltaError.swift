import Foundation
@_exported public import PatchbayErrors

/// Why a stream of rows was not read, or a delta not applied.
///
/// It never holds what was in the stream: only where it went wrong, and what should have been there.
public struct DeltaError: PatchbayError {
    /// What kind of failure it is. Compare with `==`; more kinds may be added.
    public struct Code: PatchbayErrorCode {
        /// The name in Swift.
        public let name: String
        /// The code as an `NSError`.
        public let number: Int

        /// The stream is not JSON, or not of the shape that it should have.
        public static let malformed = Code(name: "malformed", number: 1)
        /// The stream ended before it was complete.
        public static let truncated = Code(name: "truncated", number: 2)
        /// A row is longer than the limit.
        public static let rowTooLarge = Code(name: "rowTooLarge", number: 3)
        /// A row has a column that the table has not.
        public static let unknownColumn = Code(name: "unknownColumn", number: 4)
        /// A row has a column twice.
        public static let duplicateColumn = Code(name: "duplicateColumn", number: 5)
        /// A row, or a deletion, lacks a part of the key, or has null there.
        public static let missingKey = Code(name: "missingKey", number: 6)
        /// The stream has an operation that is none of those it may have.
        public static let unknownOperation = Code(name: "unknownOperation", number: 7)
        /// The delta names a table that its target has not.
        public static let unknownTable = Code(name: "unknownTable", number: 8)
        /// The delta is of another resource, or its table has another key.
        public static let mismatch = Code(name: "mismatch", number: 9)
        /// The delta's end says other numbers of rows than came.
        public static let wrongCount = Code(name: "wrongCount", number: 10)
        /// The delta starts from a version that is not the stored one.
        public static let gap = Code(name: "gap", number: 11)
        /// Another delta is being applied to the same tables.
        public static let busy = Code(name: "busy", number: 12)
        /// The call was cancelled, and nothing was changed.
        public static let cancelled = Code(name: "cancelled", number: 13)
        /// The store failed; ``DeltaError/underlying`` says how. Nothing was changed.
        public static let store = Code(name: "store", number: 14)
        /// What brings the bytes failed; ``DeltaError/underlying`` says how. Nothing was changed.
        public static let source = Code(name: "source", number: 15)
    }

    /// What kind of failure it is.
    public let code: Code
    /// What is wrong and what to do about it, for a developer.
    public let message: String
    /// Where in the stream, in bytes from its start, when it is the stream that is wrong.
    public let offset: Int?
    /// The error of the store or the source.
    public let underlying: (any Error)?

    /// Makes an error. `message` must not hold what was in the stream.
    public init(_ code: Code, _ message: String, offset: Int? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.offset = offset
        self.underlying = underlying
    }

    /// The message with the place and the code.
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

    /// The error of a transaction's body, or of the transaction.
    init(wrapping error: any Error) {
        switch error {
        case let error as DeltaError: self = error
        case let error as StoreError where error.code == .busy:
            self.init(.busy, "Store is busy: another call is writing to it; retry later.", underlying: error)
        case let error as StoreError: self.init(store: error)
        default: self.init(.source, "The delta source failed; see `underlying`.", underlying: error)
        }
    }

    init(store error: StoreError) { self.init(.store, "Store error: \(error.message)", underlying: error) }
}
