package import Foundation
package import HTTPMessages
import SystemLibraries

/// The identity of the file that a partial file belongs to, stored beside it as JSON.
package struct DownloadRecord: Codable, Equatable {
    /// The request URL.
    package let url: String
    /// The strong entity tag of the response.
    package let entityTag: String
    /// The complete length in bytes.
    package let length: Int64
    /// The SHA-256 of the complete file, if its server has sent it.
    let digest: Data?
    /// The `Content-Disposition` of the whole file, which has its name.
    let disposition: String?
    /// A hash of the user, whose file no other one continues; nil if the user is not known.
    private let user: Data?
    /// The version of this format.
    private(set) var version = 1

    package init(
        url: String, entityTag: String, length: Int64, digest: Data? = nil, disposition: String? = nil,
        user: CachePartition? = nil
    ) {
        self.url = url
        self.entityTag = entityTag
        self.length = length
        self.digest = digest
        self.disposition = disposition
        self.user = user?.hash(at: url)
    }

    /// True if the file is of this user, or if both are not known.
    package func isOf(_ user: CachePartition?) -> Bool { self.user == user?.hash(at: url) }

    /// The encoded record.
    var data: Data { (try? JSONCoding.standard.encode(self)) ?? Data() }

    /// Decodes a record; nil when it is damaged or of another version.
    init?(_ data: Data) {
        guard let record = try? JSONCoding.standard.decode(DownloadRecord.self, from: data), record.version == 1,
            record.length > 0
        else { return nil }
        self = record
    }
    /// Reads the record in a file; nil without a valid one.
    package init?(at path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(data)
    }

    /// Writes the record to a file of mode 0600: the URL may be a secret.
    package func write(to path: String) throws(POSIXError) {
        let file = try SystemFile(path, for: .creating)
        try file.truncate(to: 0)
        try file.append(data)
    }
}

extension CachePartition {
    /// A hash of the user for a record, with the URL as its key: another one for each transfer.
    func hash(at url: String) -> Data { Data(HMACSHA256(key: Array(url.utf8)).code(of: Array(text.utf8))) }
}
