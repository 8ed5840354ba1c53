/// Open database file, accessed through SQLite's I/O methods (sqlite.org/c3ref/io_methods.html).
///
/// A separate file descriptor would be unsafe: closing it releases all POSIX locks of this process on the file
/// (sqlite.org/howtocorrupt.html, section 2.2).
package struct SQLiteOpenFile {
    package enum Lock: CInt { case none = 0, shared = 1, exclusive = 4 }

    // `struct sqlite3_io_methods` is a version number, padded to pointer size, followed by function pointers. The raw
    // values of `Method` are indices into it.
    private typealias Read = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer?, CInt, Int64) -> CInt
    private typealias Size = @convention(c) (UnsafeMutableRawPointer, UnsafeMutablePointer<Int64>) -> CInt
    private typealias Setter = @convention(c) (UnsafeMutableRawPointer, CInt) -> CInt
    private enum Method: Int { case read = 2, synchronize = 5, size = 6, lock = 7, unlock = 8 }

    /// `SQLITE_FCNTL_FILE_POINTER`
    private static let filePointer: CInt = 7
    /// `SQLITE_SYNC_NORMAL`
    private static let normalSync: CInt = 2

    private let file: UnsafeMutableRawPointer
    private let methods: UnsafeRawPointer

    /// Creates the main file of a connection; nil for an in-memory database. Invalid once the connection is closed.
    package init?(of database: SQLiteFunctions.Database, _ functions: SQLiteFunctions) {
        var file: UnsafeMutableRawPointer?
        let code = withUnsafeMutablePointer(to: &file) {
            functions.fileControl(database, "main", Self.filePointer, UnsafeMutableRawPointer($0))
        }
        // The first member of `sqlite3_file` points to its methods; it is null while the file is not open.
        guard code == 0, let file, let methods = file.load(as: UnsafeRawPointer?.self) else { return nil }
        self.file = file
        self.methods = methods
    }

    private func function<Function>(_ method: Method, as type: Function.Type) -> Function {
        methods.load(fromByteOffset: method.rawValue * MemoryLayout<UnsafeRawPointer>.stride, as: type)
    }

    /// Returns SQLite's result code and the size in bytes.
    package func size() -> (code: CInt, size: Int64) {
        var size: Int64 = 0
        let code = function(.size, as: Size.self)(file, &size)
        return (code, size)
    }

    /// Fills a buffer with the first bytes of the file.
    /// - Returns: SQLite's result code.
    package func readStart(into buffer: UnsafeMutableRawBufferPointer) -> CInt {
        function(.read, as: Read.self)(file, buffer.baseAddress, CInt(buffer.count), 0)
    }

    /// Waits until what was written to the file is on the disk.
    /// - Returns: SQLite's result code.
    @discardableResult
    package func synchronize() -> CInt { function(.synchronize, as: Setter.self)(file, Self.normalSync) }

    /// Locks the file without waiting: `shared` first, then `exclusive`. The connection must not be in a transaction.
    /// - Returns: SQLite's result code.
    package func lock(_ lock: Lock) -> CInt { function(.lock, as: Setter.self)(file, lock.rawValue) }

    /// Downgrades the lock to `lock`.
    package func unlock(to lock: Lock) { _ = function(.unlock, as: Setter.self)(file, lock.rawValue) }
}
