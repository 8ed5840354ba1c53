import Foundation
import HTTPMessages

/// The versions of a resource's content for one user, device, project and set of parameters.
///
/// Version `n` is the content at the revision `revisions[n - 1]`; version 0 is nothing.
struct CacheEntry {
    /// From a version to another; a full table has no base.
    struct Transfer: Hashable {
        let base: Int?
        let target: Int
    }

    private(set) var revisions: [Int] = []
    private var transfers: [String: Transfer] = [:]

    var last: Int { revisions.count }

    func revision(of version: Int) -> Int? { version == 0 ? nil : revisions[version - 1] }

    mutating func load(_ revision: Int) { revisions.append(revision) }

    /// The first transfer with one of these tags.
    func transfer(_ tags: ETagList) -> (tag: String, transfer: Transfer)? {
        transfers.filter { tags.matches($0.key) }.max { $0.value.target < $1.value.target }.map { ($0.key, $0.value) }
    }

    /// The tag of a transfer, which is remembered.
    mutating func tag(_ transfer: Transfer, of identity: CallIdentity) -> String {
        let tag = identity.tag(transfer.base.map { "v\($0)-v\(transfer.target)" } ?? "v\(transfer.target)")
        transfers[tag] = transfer
        return tag
    }

    /// The versions of a delta request.
    /// - Throws: `Failure` (400) for versions that do not exist or are in the wrong order.
    func check(base: Int, target: Int?) throws(HyperHiveService.Failure) {
        guard base <= last else {
            throw .badRequest("X-Delta begins with version \(base), but the last one is \(last); start with v0-last")
        }
        guard let target else { return }
        guard target > 0, base <= target else {
            throw .badRequest(
                "X-Delta v\(base)-v\(target) has no content; the first version must not be the greater one")
        }
        guard target <= last else {
            throw .badRequest("X-Delta ends with version \(target), but the last one is \(last); use last")
        }
    }
}

/// A resource with parameters, as a user of a device calls it.
struct CallIdentity: Hashable {
    let session: HyperHiveService.Session
    let resource: String
    let inputs: HyperHiveService.Inputs

    /// An entity tag for a part of the content, equal in every run.
    func tag(_ part: String) -> String {
        let parameters = JSONValue.object([
            "scalars": .object(inputs.scalars),
            "rows": .object(inputs.rows.mapValues { .array($0.map(JSONValue.array)) }),
        ])
        let texts = [
            session.user, session.device, session.environment, session.project, resource, parameters.description, part,
        ]
        // FNV-1a, 64 bits, with a separator that UTF-8 does not have.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for text in texts {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0100_0000_01B3 }
            hash = (hash ^ 0xFF) &* 0x0100_0000_01B3
        }
        return "\"\(String(hash, radix: 16))\""
    }
}
