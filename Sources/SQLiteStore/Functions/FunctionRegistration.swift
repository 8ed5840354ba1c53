import Foundation
import PatchbayErrors
import StoreCore
import SystemLibraries

/// SQL function registered with a connection, which owns it until the function is replaced or the database is closed.
final class FunctionRegistration: Sendable {
    private let function: SQLiteStore.Function
    private let functions: SQLiteFunctions
    private let callbacks: SQLiteCallbackFunctions

    init(_ function: SQLiteStore.Function, _ functions: SQLiteFunctions, _ callbacks: SQLiteCallbackFunctions) {
        self.function = function
        self.functions = functions
        self.callbacks = callbacks
    }

    // MARK: Calls by SQLite

    /// Computes the result of a call.
    func call(_ context: OpaquePointer?, _ arguments: UnsafeBufferPointer<OpaquePointer?>) {
        guard case .scalar(let body) = function.kind else { return }
        reportingErrors(to: context) { setResult(try withRow(arguments, body), of: context) }
    }

    /// Adds a row to the state of the current group.
    func step(_ context: OpaquePointer?, _ arguments: UnsafeBufferPointer<OpaquePointer?>) {
        guard case .aggregate(let makeState) = function.kind else { return }
        let size = CInt(MemoryLayout<UnsafeRawPointer?>.size)
        // SQLite keeps this memory for the group, zeroed at first; `end` releases the state in it.
        guard let memory = callbacks.aggregateContext(context, size) else {
            return callbacks.resultErrorCode(context, SQLiteConstant.noMemory)
        }
        let slot = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        let state: StateBox
        if let address = slot.pointee {
            state = Unmanaged<StateBox>.fromOpaque(address).takeUnretainedValue()
        } else {
            state = StateBox(makeState())
            slot.pointee = Unmanaged.passRetained(state).toOpaque()
        }
        reportingErrors(to: context) {
            guard !state.hasFailed else { return }
            do { try withRow(arguments) { try state.state.step($0) } } catch {
                state.hasFailed = true
                throw error
            }
        }
    }

    /// Computes the result of the current group. SQLite calls it exactly once for each group, also after an error.
    func end(_ context: OpaquePointer?) {
        guard case .aggregate(let makeState) = function.kind else { return }
        // Size 0: there is no memory for a group without rows.
        let memory = callbacks.aggregateContext(context, 0)
        guard let address = memory?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self).pointee else {
            return reportingErrors(to: context) { setResult(try makeState().result(), of: context) }
        }
        let state = Unmanaged<StateBox>.fromOpaque(address).takeRetainedValue()
        guard !state.hasFailed else { return }
        reportingErrors(to: context) { setResult(try state.state.result(), of: context) }
    }

    /// The state of a group, and whether a step has failed, after which the result is not computed.
    private final class StateBox {
        let state: any AggregateState
        var hasFailed = false

        init(_ state: any AggregateState) { self.state = state }
    }

    // MARK: Values

    private func withRow<Result>(
        _ arguments: UnsafeBufferPointer<OpaquePointer?>, _ body: (borrowing StoreRow) throws -> Result
    ) throws -> Result {
        try withUnsafeTemporaryAllocation(of: StoreCell.self, capacity: max(arguments.count, 1)) { cells in
            for (index, value) in arguments.enumerated() { cells[index] = functions.cell(value) }
            let cells = UnsafeBufferPointer(start: cells.baseAddress, count: arguments.count)
            return try body(StoreRow(columnNames: [], cells: cells))
        }
    }

    /// Address of an empty text or blob, since SQLite takes a null pointer as NULL.
    private static let empty: StaticString = ""

    private func setResult(_ value: StoreValue, of context: OpaquePointer?) {
        switch value {
        case .null: callbacks.resultNull(context)
        case .integer(let number): callbacks.resultInteger(context, number)
        case .real(let number): callbacks.resultReal(context, number)
        case .text(var text):
            text.withUTF8 { bytes in
                let start = UnsafeRawPointer(bytes.baseAddress ?? Self.empty.utf8Start)
                callbacks.resultText(
                    context, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), SQLiteConstant.transient,
                    SQLiteConstant.utf8)
            }
        case .blob(let data):
            data.withUnsafeBytes { bytes in
                let start = bytes.isEmpty ? UnsafeRawPointer(Self.empty.utf8Start) : bytes.baseAddress
                callbacks.resultBlob(context, start, UInt64(bytes.count), SQLiteConstant.transient)
            }
        }
    }

    // MARK: Errors

    private func reportingErrors(to context: OpaquePointer?, _ body: () throws -> Void) {
        do { try body() } catch {
            var message = Self.message(of: error, thrownBy: function.name)
            message.withUTF8 { bytes in
                UnsafeRawBufferPointer(bytes).withMemoryRebound(to: CChar.self) {
                    callbacks.resultError(context, $0.baseAddress, CInt($0.count))
                }
            }
            // After the message, which would reset the code.
            callbacks.resultErrorCode(context, SQLiteConstant.functionFailed)
        }
    }

    /// The message for an error; one that may contain a value is left out.
    private static func message(of error: any Error, thrownBy name: String) -> String {
        let reason = (error as? any ValueFreeError)?.message ?? "it threw \(type(of: error))."
        return "SQL function \(name) failed: \(reason)"
    }
}

extension SQLiteFunctions {
    /// A borrowed cell; its bytes are valid until the function returns.
    fileprivate func cell(_ value: Value) -> StoreCell {
        func bytes(from start: UnsafeRawPointer?) -> UnsafeRawBufferPointer {
            // After the address: the count is that of the representation fetched last.
            UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(valueBytes(value)))
        }
        switch StoreValue.Kind(sqliteType: valueType(value)) {
        case .null: return .null
        case .integer: return .integer(valueInteger(value))
        case .real: return .real(valueReal(value))
        case .text: return .text(bytes(from: UnsafeRawPointer(valueText(value))))
        case .blob: return .blob(bytes(from: valueBlob(value)))
        }
    }
}

extension StoreValue.Kind {
    /// The class that `sqlite3_value_type` returns.
    fileprivate init(sqliteType: CInt) {
        self =
            switch sqliteType {
            case 1: .integer
            case 2: .real
            case 3: .text
            case 4: .blob
            default: .null
            }
    }
}
