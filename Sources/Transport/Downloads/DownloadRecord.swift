import Foundation

/// What a partial file is a part of, as it is kept beside it.
struct DownloadRecord: Codable, Equatable {
    /// What was asked for.
    let url: String
    /// The strong entity tag of what came.
    let entityTag: String
    /// How many bytes the whole has.
    let length: Int64
    /// The version of this format.
    private(set) var version = 1

    init(url: String, entityTag: String, length: Int64) {
        self.url = url
        self.entityTag = entityTag
        self.length = length
    }

    /// The record as a file's bytes.
    var data: Data { (try? JSONEncoder().encode(self)) ?? Data() }

    /// The record of a file's bytes, or nil when they are not one that can be used.
    init?(_ data: Data) {
        guard let record = try? JSONDecoder().decode(DownloadRecord.self, from: data), record.version == 1,
            record.length > 0
        else { return nil }
        self = record
    }
}
