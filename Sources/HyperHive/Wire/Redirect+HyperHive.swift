import Foundation
import HTTPMessages
import Transport

extension RedirectPolicy {
    /// The standard rules, but 301 and 302 keep `POST` and its body: the `GET` of a resource would be a call without its
    /// parameters, which returns other rows. The device is not named to another origin.
    static var hyperHive: RedirectPolicy {
        var policy = RedirectPolicy.standard
        policy.methods[.movedPermanently] = .kept
        policy.methods[.found] = .kept
        policy.secretFields = Set([FMPWire.deviceField].compactMap { try? HTTPFieldName($0) })
        return policy
    }
}

extension Redirect {
    /// The target; nil, so that the redirect is the response, when a request other than `GET` would become one (303), or
    /// would go to another origin, which must get neither parameters nor environment and project.
    var hyperHiveTarget: URL? {
        let keepsRequest = head.status != .seeOther && Origin(target) == request.origin
        return request.method == .get || keepsRequest ? target : nil
    }
}
