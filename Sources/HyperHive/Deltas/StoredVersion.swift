/// Stored version of a resource's rows, as the version text of `DeltaApplier`.
///
/// The server's version, the ID of the last full load and the validator are one text, so they change in one transaction
/// with the rows. The ID is unique: a requested full load is never taken for a duplicate, and no delta applies to the
/// rows of another load.
struct StoredVersion: Hashable, Sendable {
    /// The server's version; 0 without one, which makes the next load a full one.
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
