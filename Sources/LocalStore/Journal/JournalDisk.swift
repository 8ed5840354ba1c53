import Foundation
import SystemLibraries

/// System calls used to write a journal, replaceable so that tests can inject failures.
///
/// Each returns what the system call returns: a negative number, with the reason in `errno`, on failure.
package struct JournalDisk: Sendable {
    /// `pwrite`: returns the number of bytes written, which may be fewer than requested.
    package var write: @Sendable (_ file: CInt, _ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int
    /// `ftruncate`.
    package var truncate: @Sendable (_ file: CInt, _ size: Int) -> CInt
    /// Flushes an open file or folder to the disk.
    package var synchronize: @Sendable (_ file: CInt) -> CInt
    /// `rename`: atomically replaces the file at `other`.
    package var rename: @Sendable (_ path: String, _ other: String) -> CInt

    /// The real system calls.
    package static let system = JournalDisk(
        write: { pwrite($0, $1.baseAddress, $1.count, off_t($2)) }, truncate: { ftruncate($0, off_t($1)) },
        synchronize: { DiskSynchronization.synchronize($0) }, rename: { Foundation.rename($0, $1) })
}
