import Coordination
import Foundation
import HTTPMessages
import Transport

/// The client's layers: redirects. The retries are around a whole call, since a load is more than one request: see
/// ``Call/retrying(_:)``.
typealias HyperHiveStack = Redirecting<AnyTransport>

extension AnyTransport {
    /// Adds the client's layers.
    func hyperHiveLayers(clock: some Clock<Duration>) -> HyperHiveStack {
        Redirecting(base: self, policy: .hyperHive, clock: clock) { $0.hyperHiveTarget }
    }
}

extension RedirectPolicy {
    /// The standard policy, but 301 and 302 keep `POST` and its body.
    ///
    /// The `GET` of a resource would be a call without its parameters, which returns other rows. The device ID is not
    /// sent to another origin.
    static var hyperHive: RedirectPolicy {
        var policy = RedirectPolicy.standard
        policy.methods[.movedPermanently] = .kept
        policy.methods[.found] = .kept
        policy.secretFields = Set([FMPWire.deviceField].compactMap { try? HTTPFieldName($0) })
        return policy
    }
}

extension Redirect {
    /// The target of a redirect to follow; nil if the redirect is the response.
    ///
    /// A request other than `GET` must not become one (303), and must not go to another origin, which must get neither
    /// parameters nor environment and project.
    var hyperHiveTarget: URL? {
        let keepsRequest = head.status != .seeOther && Origin(target) == request.origin
        return request.method == .get || keepsRequest ? target : nil
    }
}
