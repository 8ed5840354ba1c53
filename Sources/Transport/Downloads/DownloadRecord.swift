import Foundation

/// The identity of the file that a partial file belongs to, stored beside it as JSON.
struct DownloadRecord: Codable, Equatable {
    /// The request URL.
    let url: String
    /// The strong entity tag of the response.
    let entityTag: String
    /// The complete length in bytes.
    let length: Int64
    /// The version of this format.
    private(set) var version = 1

    init(url: String, entityTag: String, length: Int64) {
        self.url = url
        self.entityTag = entityTag
        self.length = length
    }

    /// The encoded record.
    var data: Data { (try? JSONEncoder().encode(self)) ?? Data() }

    /// Decodes a record; nil when it is damaged or of another version.
    init?(_ data: Data) {
        guard let record = try? JSONDecoder().decode(DownloadRecord.self, from: data), record.version == 1,
            record.length > 0
        else { return nil }
        self = record
    }
}
