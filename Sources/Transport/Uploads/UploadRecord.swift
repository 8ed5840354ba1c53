import Foundation
import HTTPMessages
import SystemLibraries

/// The identity of an upload, stored as JSON.
struct UploadRecord: Codable, Equatable {
    /// The URL at which the upload was created.
    let endpoint: String
    /// The URL of the upload.
    let upload: String
    /// The length in bytes.
    let length: Int64
    /// A hash of the user, whose upload no other one continues; nil if the user is not known.
    let user: Data?
    /// The digest of the first and the last 64 KiB: another content is another upload.
    let fingerprint: String
    /// In version 1 a redirect may have chosen the upload.
    private(set) var version = 2

    init(endpoint: String, upload: String, length: Int64, fingerprint: String, user: Data? = nil) {
        (self.endpoint, self.upload, self.length, self.fingerprint) = (endpoint, upload, length, fingerprint)
        self.user = user
    }

    /// Reads the record in a file; nil without a valid one.
    init?(at url: URL) {
        guard let data = FileManager.default.contents(atPath: url.path),
            let record = try? JSONCoding.standard.decode(UploadRecord.self, from: data), record.version == 2
        else { return nil }
        self = record
    }

    /// Writes the record.
    /// - Throws: ``UploadError`` (`recordFailure`).
    func write(to url: URL) throws(UploadError) {
        do {
            let file = try SystemFile(url.path, for: .creating)
            try file.truncate(to: 0)
            try file.append(JSONCoding.standard.encode(self))
        } catch {
            throw UploadError(
                .recordFailure, "Record of the upload cannot be written; create its folder, or free space.")
        }
    }
}
