import Dispatch
import Foundation
import PatchbayTestKit
package import StoreCore

/// Fails the case unless a call throws a `StoreError`.
/// - Parameter code: the code it must have; nil for any.
/// - Returns: the error.
@discardableResult
func expectError(
    _ code: StoreError.Code? = nil, _ what: @autoclosure () -> String = "the call", file: String = #fileID,
    line: Int = #line, of call: () throws -> some Any
) throws(ConformanceFailure) -> StoreError {
    let expected = code.map { "a StoreError of the code \($0)" } ?? "a StoreError"
    do {
        _ = try call()
    } catch let error as StoreError where code == nil || error.code == code {
        return error
    } catch {
        throw ConformanceFailure("expected \(what()) to throw \(expected), got \(error) (\(file):\(line))")
    }
    throw ConformanceFailure("expected \(what()) to throw \(expected) (\(file):\(line))")
}

/// Fails the case unless a call throws the ``Interruption`` of its callback.
func expectInterruption(file: String = #fileID, line: Int = #line, of call: () throws -> some Any) throws {
    do {
        _ = try call()
    } catch is Interruption {
        return
    }
    throw ConformanceFailure("the error of the callback is not rethrown (\(file):\(line))")
}

/// Error thrown by a callback.
package struct Interruption: Error, Equatable {
    package init() {}
}

extension LocalStore {
    /// The first value of a query.
    package func value(_ sql: String, _ parameters: [StoreValue] = []) throws -> StoreValue {
        guard let value = try rows(sql, parameters).first?.first else { throw ConformanceFailure("no rows: \(sql)") }
        return value
    }

    /// The keys of the table ``StoreConformance/jacks``, in order.
    package func jackIDs() throws -> [StoreValue] { try rows("SELECT id FROM jack ORDER BY id").map { $0[0] } }

    /// The rows of a query as JSON text.
    package func json(_ sql: String, _ parameters: [StoreValue] = []) throws -> String {
        String(decoding: try queryJSON(sql, parameters), as: UTF8.self)
    }
}

extension RowBatch {
    package init(_ columns: [SQLIdentifier], _ rows: [[StoreValue]]) throws {
        try self.init(columns: columns)
        for row in rows { try append(row) }
    }
}

/// Runs `body` on a new thread.
/// - Returns: a function that waits for the thread to finish, and rethrows its error.
func onThread(_ body: @escaping @Sendable () throws -> Void) -> @Sendable () throws -> Void {
    let done = DispatchSemaphore(value: 0)
    let outcome = Watched<Result<Void, any Error>?>(nil)
    Thread.detachNewThread {
        let result = Result { try body() }
        outcome.update { $0 = result }
        done.signal()
    }
    return {
        guard done.wait(timeout: .now() + 600) == .success else { throw ConformanceFailure("a thread hangs") }
        try outcome.value?.get()
    }
}
