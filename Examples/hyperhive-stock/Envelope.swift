import Foundation

/// What an app reads of the envelope that a handler gets.
struct Envelope: Sendable {
    /// `ok`, `cancel` or `error`.
    let status: String
    let httpStatus: Int?
    /// The rows that a load has inserted and deleted.
    let changes: Int
    /// The first error's text; nil without one.
    let message: String?

    init(_ result: Any?) {
        let members = result as? NSDictionary
        status = members?["status"] as? String ?? "error"
        httpStatus = (members?["http"] as? [String: Any])?["status"] as? Int
        let database = (members?["result"] as? [String: Any])?["database"] as? [String: Any]
        changes = (database?["changes"] as? [String: Any])?["updated"] as? Int ?? 0
        message = (members?["errors"] as? [[String: Any]])?.first?["description"] as? String
    }

    /// The rows are those of the server. A 304 is an `error` with the vendor, and the most usual success.
    var isCurrent: Bool { status == "ok" || httpStatus == 304 }

    /// The envelope that a call passes to its handler.
    static func of(_ call: (@escaping (Any?) -> Void) -> Void) async -> Envelope {
        await withCheckedContinuation { done in call { done.resume(returning: Envelope($0)) } }
    }

    /// The envelope of a call that has to succeed.
    /// - Throws: ``Failure`` with the server's or the store's text.
    static func checked(_ step: String, _ call: (@escaping (Any?) -> Void) -> Void) async throws -> Envelope {
        let envelope = await of(call)
        guard envelope.isCurrent else {
            throw Failure(description: "\(step) failed: \(envelope.message ?? envelope.status)")
        }
        return envelope
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
