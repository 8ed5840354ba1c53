/// Functions of SQLite for an application's own SQL functions and collations.
///
/// SQLite calls them on the thread that uses the connection.
package struct SQLiteCallbackFunctions: Sendable {
    package typealias Context = OpaquePointer?
    /// A call of a function, or a step of an aggregate, with its arguments.
    package typealias Call =
        @convention(c) (Context, _ count: CInt, _ arguments: UnsafeMutablePointer<OpaquePointer?>?) -> Void
    /// The end of an aggregate.
    package typealias Final = @convention(c) (Context) -> Void
    package typealias Compare =
        @convention(c) (
            UnsafeMutableRawPointer?, _ leftCount: CInt, UnsafeRawPointer?, _ rightCount: CInt, UnsafeRawPointer?
        ) -> CInt
    /// Called exactly once, when SQLite no longer needs the data.
    package typealias Destroy = @convention(c) (UnsafeMutableRawPointer?) -> Void

    package typealias CreateFunction =
        @convention(c) @Sendable (
            SQLiteFunctions.Database, _ name: UnsafePointer<CChar>?, _ argumentCount: CInt, _ flags: CInt,
            _ data: UnsafeMutableRawPointer?, Call?, _ step: Call?, Final?, Destroy?
        ) -> CInt
    package typealias CreateCollation =
        @convention(c) @Sendable (
            SQLiteFunctions.Database, _ name: UnsafePointer<CChar>?, _ encoding: CInt,
            _ data: UnsafeMutableRawPointer?, Compare?, Destroy?
        ) -> CInt
    package typealias UserData = @convention(c) @Sendable (Context) -> UnsafeMutableRawPointer?
    package typealias AggregateContext = @convention(c) @Sendable (Context, _ size: CInt) -> UnsafeMutableRawPointer?
    package typealias ResultNull = @convention(c) @Sendable (Context) -> Void
    package typealias ResultInteger = @convention(c) @Sendable (Context, Int64) -> Void
    package typealias ResultReal = @convention(c) @Sendable (Context, Double) -> Void
    package typealias ResultText =
        @convention(c) @Sendable (
            Context, UnsafePointer<CChar>?, _ count: UInt64, SQLiteFunctions.Destructor, _ encoding: UInt8
        ) -> Void
    package typealias ResultBlob =
        @convention(c) @Sendable (Context, UnsafeRawPointer?, _ count: UInt64, SQLiteFunctions.Destructor) -> Void
    package typealias ResultError = @convention(c) @Sendable (Context, UnsafePointer<CChar>?, _ count: CInt) -> Void
    package typealias ResultErrorCode = @convention(c) @Sendable (Context, CInt) -> Void

    /// Destroys the data also when it fails.
    package let createFunction: CreateFunction
    /// Does not destroy the data when it fails.
    package let createCollation: CreateCollation
    package let userData: UserData
    /// Memory of an aggregate's group, zeroed at first; nil for size 0 before the first step.
    package let aggregateContext: AggregateContext
    package let resultNull: ResultNull
    package let resultInteger: ResultInteger
    package let resultReal: ResultReal
    package let resultText: ResultText
    package let resultBlob: ResultBlob
    package let resultError: ResultError
    package let resultErrorCode: ResultErrorCode

    /// Looks up all functions; see ``SQLiteFunctions``.
    init(
        _ address: (_ symbol: String) throws(SystemLibraryError) -> UnsafeMutableRawPointer
    ) throws(SystemLibraryError) {
        func function<Function>(_ symbol: String) throws(SystemLibraryError) -> Function {
            unsafeBitCast(try address(symbol), to: Function.self)
        }
        createFunction = try function("sqlite3_create_function_v2")
        createCollation = try function("sqlite3_create_collation_v2")
        userData = try function("sqlite3_user_data")
        aggregateContext = try function("sqlite3_aggregate_context")
        resultNull = try function("sqlite3_result_null")
        resultInteger = try function("sqlite3_result_int64")
        resultReal = try function("sqlite3_result_double")
        resultText = try function("sqlite3_result_text64")
        resultBlob = try function("sqlite3_result_blob64")
        resultError = try function("sqlite3_result_error")
        resultErrorCode = try function("sqlite3_result_error_code")
    }
}
