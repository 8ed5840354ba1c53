import StoreCore

/// Constants of `sqlite3.h`, defined in this module so that the compiler can inline their values.
enum SQLiteConstant {
    // Result codes; the low byte of an extended one is one of these.
    static let ok: CInt = 0
    static let error: CInt = 1
    static let busy: CInt = 5
    static let locked: CInt = 6
    static let noMemory: CInt = 7
    static let readOnly: CInt = 8
    static let interrupt: CInt = 9
    static let inputOutput: CInt = 10
    static let corrupt: CInt = 11
    static let full: CInt = 13
    static let cannotOpen: CInt = 14
    static let lockProtocol: CInt = 15
    static let schema: CInt = 17
    static let tooBig: CInt = 18
    static let constraint: CInt = 19
    static let mismatch: CInt = 20
    static let misuse: CInt = 21
    static let notAuthorized: CInt = 23
    static let range: CInt = 25
    static let notADatabase: CInt = 26
    static let row: CInt = 100
    static let done: CInt = 101

    // Extended result codes.
    static let readOnlyRollback: CInt = 776
    static let readOnlyMoved: CInt = 1032
    static let readOnlyCannotInitialize: CInt = 1288
    static let readOnlyDirectory: CInt = 1544
    static let constraintForeignKey: CInt = 787
    static let constraintTrigger: CInt = 1811
    /// Of an error thrown by a function of the app: SQLITE_ERROR with a number that SQLite does not use.
    static let functionFailed: CInt = error | 100 << 8

    // Open flags.
    static let openReadOnly: CInt = 0x1
    static let openReadWrite: CInt = 0x2
    static let openCreate: CInt = 0x4
    static let openURI: CInt = 0x40
    static let openNoMutex: CInt = 0x8000

    // Options of a connection (`SQLITE_DBCONFIG_…`): text in double quotes in statements, and in definitions.
    static let doubleQuotedText: CInt = 1013
    static let doubleQuotedTextInDefinitions: CInt = 1014

    /// Hint that the statement will be kept and reused.
    static let preparePersistent: CUnsignedInt = 0x1
    /// Status counter of automatic recompilations of a statement.
    static let statusReprepare: CInt = 5

    // Flags of functions.
    static let deterministic: CInt = 0x800
    static let innocuous: CInt = 0x20_0000

    static let utf8: UInt8 = 1
    /// `SQLITE_TRANSIENT`: SQLite copies the bytes before the call returns.
    static var transient: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: -1) }

    /// Result of an authorizer that rejects the statement.
    static let deny: CInt = 1

    // Authorizer action codes.
    static let createTable: CInt = 2
    static let createTemporaryIndex: CInt = 3
    static let createTemporaryTable: CInt = 4
    static let createTemporaryTrigger: CInt = 5
    static let createTemporaryView: CInt = 6
    static let delete: CInt = 9
    static let dropTable: CInt = 11
    static let insert: CInt = 18
    static let pragma: CInt = 19
    static let read: CInt = 20
    static let select: CInt = 21
    static let transaction: CInt = 22
    static let update: CInt = 23
    static let attach: CInt = 24
    static let detach: CInt = 25
    static let alterTable: CInt = 26
    static let createVirtualTable: CInt = 29
    static let dropVirtualTable: CInt = 30
    static let function: CInt = 31
    static let savepoint: CInt = 32
}
