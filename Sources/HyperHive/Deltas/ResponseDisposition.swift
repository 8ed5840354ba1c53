/// Action for a response, decided from its versions and the stored ones. No I/O.
enum ResponseDisposition: Hashable, Sendable {
    /// Replace all rows. The number is that of their version, 0 for none.
    case load(Int)
    /// Apply the changes from the stored version to this one.
    case change(from: StoredVersion, to: Int)
    /// Change nothing: the response has no newer version than the stored one.
    case skip(StoredVersion)
    /// Request a full load: the changes have another base version than the stored one.
    case gap

    /// - Parameters:
    ///   - content: the versions of the response; nil without any, and for a resource without versions.
    ///   - requested: what was stored before the request.
    ///   - stored: what is stored now.
    init(_ content: ContentVersion?, requested: StoredVersion?, stored: StoredVersion?) {
        switch content {
        case nil: self = .load(0)
        case .full(let number), .delta(base: 0, target: let number): self = .load(number)
        case .delta(let base, let target):
            // The server may have restarted its version numbers before another full load.
            guard let stored, stored.load == requested?.load else {
                self = .gap
                return
            }
            if base == stored.number {
                self = .change(from: stored, to: target)
            } else {
                // Changes from an older version to a newer one do not name the rows that were inserted before the
                // stored version and deleted after it. Those would stay.
                self = base < stored.number && target <= stored.number ? .skip(stored) : .gap
            }
        }
    }
}
