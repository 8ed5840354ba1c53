import Foundation

/// The limit of open files and sockets, of the process and of the system.
package enum DescriptorLimit {
    /// True if no file or socket can be opened now.
    package static var isReached: Bool {
        do throws(POSIXError) {
            _ = try SystemFile("/dev/null", for: .reading)
            return false
        } catch {
            return error.code == .EMFILE || error.code == .ENFILE
        }
    }
}
