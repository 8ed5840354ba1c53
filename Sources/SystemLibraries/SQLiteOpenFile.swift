/// The open file of a database, read and locked with SQLite's own methods (sqlite.org/c3ref/io_methods.html).
///
/// A descriptor opened beside SQLite must not be used instead: closing it drops every POSIX lock that this process holds
/// on the file (sqlite.org/howtocorrupt.html, section 2.2).
package struct SQLiteOpenFile {
    package enum Lock: CInt { case none = 0, shared = 1, exclusive = 4 }

    // `struct sqlite3_io_methods` is a version number, padded to a pointer, and then functions.
    private typealias Read = @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer?, CInt, Int64) -> CInt
    private typealias Size = @convention(c) (UnsafeMutableRawPointer, UnsafeMutablePointer<Int64>) -> CInt
    private typealias SetLock = @convention(c) (UnsafeMutableRawPointer, CInt) -> CInt
    private enum Method: Int { case read = 2, size = 6, lock = 7, unlock = 8 }

    private static let filePointer: CInt = 7

    private let file: UnsafeMutableRawPointer
    private let methods: UnsafeRawPointer

    /// The main file of a connection; nil in memory. It must not be used after the connection was closed.
    package init?(of database: SQLiteFunctions.Database, _ functions: SQLiteFunctions) {
        var file: UnsafeMutableRawPointer?
        let code = withUnsafeMutablePointer(to: &file) {
            functions.fileControl(database, "main", Self.filePointer, UnsafeMutableRawPointer($0))
        }
        // The first member of a file is the address of its methods, null while it is not open.
        guard code == 0, let file, let methods = file.load(as: UnsafeRawPointer?.self) else { return nil }
        self.file = file
        self.methods = methods
    }

    private func function<Function>(_ method: Method, as type: Function.Type) -> Function {
        methods.load(fromByteOffset: method.rawValue * MemoryLayout<UnsafeRawPointer>.stride, as: type)
    }

    /// - Returns: SQLite's code, and the size in bytes.
    package func size() -> (code: CInt, size: Int64) {
        var size: Int64 = 0
        let code = function(.size, as: Size.self)(file, &size)
        return (code, size)
    }

    /// Fills a buffer with the first bytes of the file.
    /// - Returns: SQLite's code.
    package func readStart(into buffer: UnsafeMutableRawBufferPointer) -> CInt {
        function(.read, as: Read.self)(file, buffer.baseAddress, CInt(buffer.count), 0)
    }

    /// Locks the file, which SQLite itself must not be reading or writing: `shared` first, then `exclusive`.
    /// - Returns: SQLite's code; it does not wait.
    package func lock(_ lock: Lock) -> CInt { function(.lock, as: SetLock.self)(file, lock.rawValue) }

    /// Takes a lock back as far as `lock`.
    package func unlock(to lock: Lock) { _ = function(.unlock, as: SetLock.self)(file, lock.rawValue) }
}
