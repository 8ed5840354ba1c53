/// The constants of `sqlite3.h` that are used here.
package enum SQLiteConstant {
    // Result codes; the low byte of an extended one is one of these.
    package static let ok: CInt = 0
    package static let error: CInt = 1
    package static let busy: CInt = 5
    package static let locked: CInt = 6
    package static let noMemory: CInt = 7
    package static let readOnly: CInt = 8
    package static let inputOutput: CInt = 10
    package static let corrupt: CInt = 11
    package static let full: CInt = 13
    package static let cannotOpen: CInt = 14
    package static let tooBig: CInt = 18
    package static let constraint: CInt = 19
    package static let mismatch: CInt = 20
    package static let misuse: CInt = 21
    package static let notAuthorized: CInt = 23
    package static let range: CInt = 25
    package static let notADatabase: CInt = 26
    package static let row: CInt = 100
    package static let done: CInt = 101

    // How to open.
    package static let openReadWrite: CInt = 0x2
    package static let openCreate: CInt = 0x4
    package static let openNoMutex: CInt = 0x8000

    /// The statement will be kept and run often.
    package static let preparePersistent: CUnsignedInt = 0x1
    /// How often a statement was compiled anew by itself.
    package static let statusReprepare: CInt = 5

    // The storage classes.
    package static let integer: CInt = 1
    package static let real: CInt = 2
    package static let text: CInt = 3
    package static let blob: CInt = 4
    package static let null: CInt = 5

    package static let utf8: UInt8 = 1
    /// SQLite copies the bytes before the call returns.
    package static var transient: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: -1) }

    /// An authorizer's no.
    package static let deny: CInt = 1

    // What an authorizer hears of.
    package static let createIndex: CInt = 1
    package static let createTable: CInt = 2
    package static let createTemporaryIndex: CInt = 3
    package static let createTemporaryTable: CInt = 4
    package static let createTemporaryTrigger: CInt = 5
    package static let createTemporaryView: CInt = 6
    package static let createTrigger: CInt = 7
    package static let createView: CInt = 8
    package static let delete: CInt = 9
    package static let dropTable: CInt = 11
    package static let insert: CInt = 18
    package static let pragma: CInt = 19
    package static let transaction: CInt = 22
    package static let update: CInt = 23
    package static let attach: CInt = 24
    package static let detach: CInt = 25
    package static let alterTable: CInt = 26
    package static let createVirtualTable: CInt = 29
    package static let dropVirtualTable: CInt = 30
    package static let savepoint: CInt = 32
}
