/// Version text of `DeltaApplier`: the server's version, the full load that the rows began with, and the validator.
///
/// They change in one transaction with the rows, since they are one text. The load is unique, so that a full load that
/// was requested is never taken for a duplicate, and no delta applies to the rows of another load.
struct StoredVersion: Hashable, Sendable {
    /// The server's version; 0 when it did not state one, so that the next request is a full load.
    var number: Int
    /// Unique ID of the full load, without spaces.
    var load: String
    /// The `ETag` of the response.
    var etag: String?

    init(number: Int, load: String, etag: String?) {
        self.number = number
        self.load = load
        self.etag = etag
    }

    /// Reads ``text``; nil when it is not valid.
    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, let number = Int(parts[0]), number >= 0, !parts[1].isEmpty else { return nil }
        self.init(number: number, load: String(parts[1]), etag: parts.count == 3 ? String(parts[2]) : nil)
    }

    /// The text form.
    var text: String { "\(number) \(load)" + (etag.map { " " + $0 } ?? "") }
}
