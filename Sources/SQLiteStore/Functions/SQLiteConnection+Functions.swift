import Foundation
import StoreCore
import SystemLibraries

extension SQLiteConnection {
    /// Registers the functions and collations of a configuration.
    /// - Throws: `StoreError`: `invalidArgument` for an invalid name or count; `libraryMissing` when the library lacks
    ///   the functions to register them.
    func register(_ configuration: SQLiteStore.Configuration) throws(StoreError) {
        guard !configuration.functions.isEmpty || !configuration.collations.isEmpty else { return }
        guard let callbacks = functions.callbacks else {
            throw StoreError(
                .libraryMissing,
                "This SQLite library has no `sqlite3_create_function_v2`; use another one, or no functions of the app.")
        }
        for function in configuration.functions { try register(function, callbacks) }
        for collation in configuration.collations { try register(collation, callbacks) }
    }

    private func register(
        _ function: SQLiteStore.Function, _ callbacks: SQLiteCallbackFunctions
    ) throws(StoreError) {
        let entries = try FunctionCallbacks.callbacks(of: callbacks)
        let counts = 0...127
        guard Self.isValid(function.name), counts.contains(function.argumentCount ?? 0) else {
            throw StoreError(
                .invalidArgument,
                """
                Invalid SQL function \(function.name): its name must have 1 to 255 bytes without NUL, and at most \
                \(counts.upperBound) arguments.
                """)
        }
        let isAggregate = if case .aggregate = function.kind { true } else { false }
        let flags =
            CInt(SQLiteConstant.utf8) | (function.isDeterministic ? SQLiteConstant.deterministic : 0)
            | (function.isInnocuous ? SQLiteConstant.innocuous : 0)
        let owned = Unmanaged.passRetained(FunctionRegistration(function, functions, callbacks))
        // SQLite releases it when the function is replaced or the database is closed, and also when this call fails.
        let code = callbacks.createFunction(
            database, function.name, CInt(function.argumentCount ?? -1), flags, owned.toOpaque(),
            isAggregate ? nil : entries.call, isAggregate ? entries.step : nil, isAggregate ? entries.end : nil,
            { $0.map { Unmanaged<FunctionRegistration>.fromOpaque($0).release() } })
        guard code == SQLiteConstant.ok else { throw failure(code) }
    }

    private func register(
        _ collation: SQLiteStore.Collation, _ callbacks: SQLiteCallbackFunctions
    ) throws(StoreError) {
        let builtIn = ["BINARY", "NOCASE", "RTRIM"]
        guard Self.isValid(collation.name), !builtIn.contains(collation.name.uppercased()) else {
            throw StoreError(
                .invalidArgument,
                """
                Invalid collation \(collation.name): its name must have 1 to 255 bytes without NUL, and differ from \
                \(builtIn.joined(separator: ", ")).
                """)
        }
        let owned = Unmanaged.passRetained(CollationRegistration(collation))
        let code = callbacks.createCollation(
            database, collation.name, CInt(SQLiteConstant.utf8), owned.toOpaque(),
            { data, leftCount, left, rightCount, right in
                guard let data else { return 0 }
                let collation = Unmanaged<CollationRegistration>.fromOpaque(data).takeUnretainedValue().collation
                let result = collation.compare(
                    UnsafeRawBufferPointer(start: left, count: left == nil ? 0 : Int(leftCount)),
                    UnsafeRawBufferPointer(start: right, count: right == nil ? 0 : Int(rightCount)))
                return CInt(result.rawValue)
            },
            { $0.map { Unmanaged<CollationRegistration>.fromOpaque($0).release() } })
        guard code == SQLiteConstant.ok else {
            // Unlike for a function, SQLite does not release it after a failure.
            owned.release()
            throw failure(code)
        }
    }

    private static func isValid(_ name: String) -> Bool {
        (1...255).contains(name.utf8.count) && !name.utf8.contains(0)
    }
}

/// Collation registered with a connection, which owns it until the database is closed.
private final class CollationRegistration: Sendable {
    let collation: SQLiteStore.Collation

    init(_ collation: SQLiteStore.Collation) { self.collation = collation }
}
