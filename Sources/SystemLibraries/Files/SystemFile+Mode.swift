import Foundation

extension SystemFile {
    /// The permissions for a file that is about to take a path: those of the file that is there, or of a new file of
    /// this process (by its umask or the folder's default). Nil if the folder cannot be written.
    package static func mode(replacing path: String) -> UInt16? {
        if let status = try? FileStatus(at: path) { return status.mode }
        // Create a file to find out: reading the umask means changing it for all threads.
        let folder = URL(filePath: path).deletingLastPathComponent()
        let probe = folder.appending(path: ".patchbay-\(UUID().uuidString).partial").path
        guard let file = try? SystemFile(probe, for: .creatingNew, mode: 0o666) else { return nil }
        SystemFile.delete(probe)
        return file.status?.mode
    }
}
