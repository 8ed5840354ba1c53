import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization
import SystemLibraries
import Transport

/// A server or a proxy that demands Digest, with a parser and a computation of its own.
///
/// Strict: the `uri` must be the request target, and each pair of nonce and count may be used once.
final class DigestService: HTTPService {
    struct Settings: Sendable {
        var users = ["Mufasa": "Circle of Life"]
        var realm = "http-auth@example.org"
        /// Nil leaves the parameter out.
        var algorithm: String? = "SHA-256"
        /// Nil for a server of RFC 2069.
        var qop: String? = "auth"
        var opaque: String? = "an \"opaque\" value"
        var charset: String?
        var domain: String?
        var wantsUserHash = false
        var isProxy = false
        /// The number of requests that a nonce is good for.
        var usesPerNonce = Int.max
        /// Whether an old nonce is reported as such.
        var reportsStale = true
        var sendsProof = false
        /// Whether each response has the nonce for the next request.
        var rotatesNonces = false
        /// Breaks the proof.
        var isImpostor = false
        /// Challenges before the one of Digest.
        var otherChallenges: [String] = []
        /// Paths that need no credential.
        var publicPaths: Set<String> = []
    }

    private struct Nonce {
        var counts: Set<UInt32> = []
        /// H(A1) of an algorithm that ends with `-sess`; it remains when the nonce is rotated.
        var sessionKey: String?
    }

    private struct State {
        var nonces: [String: Nonce] = [:]
        var issued = 0
        var outcomes: [Outcome] = []
    }

    enum Outcome: Hashable, Sendable { case accepted, missing, stale, wrong(String) }

    let settings: Settings
    private let state = Mutex(State())

    init(_ change: (inout Settings) -> Void = { _ in }) {
        var settings = Settings()
        change(&settings)
        self.settings = settings
    }

    var outcomes: [Outcome] { state.withLock { $0.outcomes } }

    /// Forgets all nonces, as a restart does.
    func restart() { state.withLock { $0.nonces = [:] } }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let body = try await request.body.collect()
        guard !settings.publicPaths.contains(request.url.path()) else { return request.response(text: "public") }
        let field = request.fields[settings.isProxy ? .proxyAuthorization : .authorization]
        let result = state.withLock { state in
            let result = Self.check(field, request, body, settings, &state)
            state.outcomes.append(result.outcome)
            return result
        }
        guard result.outcome == .accepted else {
            var response = request.response(
                HTTPStatus(settings.isProxy ? 407 : 401) ?? .unauthorized,
                fields: try HTTPFields(challenges(isStale: result.outcome == .stale)), body: Data("challenge".utf8))
            response.head.isProxyChallenge = settings.isProxy
            return response
        }
        var response = request.response(text: "items")
        if let info = result.info?(response.body) {
            try response.head.fields.set(
                settings.isProxy ? "Proxy-Authentication-Info" : "Authentication-Info", to: info)
        }
        return response
    }

    private func challenges(isStale: Bool) -> [(String, String)] {
        let name = settings.isProxy ? "Proxy-Authenticate" : "WWW-Authenticate"
        let nonce = state.withLock { Self.issue(&$0) }
        var text = "Digest realm=\"\(escaped(settings.realm))\", nonce=\"\(escaped(nonce))\""
        if let qop = settings.qop { text += ", qop=\"\(qop)\"" }
        if let algorithm = settings.algorithm { text += ", algorithm=\(algorithm)" }
        if let opaque = settings.opaque { text += ", opaque=\"\(escaped(opaque))\"" }
        if let charset = settings.charset { text += ", charset=\(charset)" }
        if let domain = settings.domain { text += ", domain=\"\(domain)\"" }
        if settings.wantsUserHash { text += ", userhash=true" }
        if isStale, settings.reportsStale { text += ", stale=TRUE" }
        return (settings.otherChallenges + [text]).map { (name, $0) }
    }

    private static func issue(_ state: inout State, sessionKey: String? = nil) -> String {
        state.issued += 1
        let nonce = "nonce \"\(state.issued)\""
        state.nonces[nonce] = Nonce(sessionKey: sessionKey)
        return nonce
    }

    private static func check(
        _ field: String?, _ request: HTTPRequest, _ body: Data, _ settings: Settings, _ state: inout State
    ) -> (outcome: Outcome, info: (@Sendable (Data) -> String)?) {
        guard let field, let sent = DigestField(field) else { return (.missing, nil) }
        let algorithm = settings.algorithm?.lowercased() ?? "md5"
        func hash(_ text: String) -> String { DigestField.hash(Array(text.utf8), algorithm) }
        let user = settings.users.keys.first { user in
            if settings.wantsUserHash {
                return sent["userhash"] == "true" && sent["username"] == hash("\(user):\(settings.realm)")
            }
            return sent["username"] == user || sent.extendedUser == user
        }
        guard let user, let password = settings.users[user] else { return (.wrong("user"), nil) }
        guard sent["realm"] == settings.realm else { return (.wrong("realm"), nil) }
        guard sent["opaque"] == settings.opaque else { return (.wrong("opaque"), nil) }
        guard sent["algorithm"] == settings.algorithm else { return (.wrong("algorithm"), nil) }
        let text = request.url.absoluteString
        let path = text.components(separatedBy: "/").dropFirst(3).joined(separator: "/")
        let target = settings.isProxy ? text : "/" + path
        guard sent["uri"] == target else { return (.wrong("uri \(sent["uri"] ?? "")"), nil) }
        guard let nonce = sent["nonce"], var known = state.nonces[nonce] else { return (.stale, nil) }

        var key = hash("\(user):\(settings.realm):\(password)")
        if algorithm.hasSuffix("-sess") {
            key = known.sessionKey ?? hash("\(key):\(nonce):\(sent["cnonce"] ?? "")")
        }
        var target2 = "\(request.method.name):\(target)"
        if sent["qop"] == "auth-int" { target2 += ":\(DigestField.hash(Array(body), algorithm))" }
        let middle =
            settings.qop == nil
            ? nonce : [nonce, sent["nc"] ?? "", sent["cnonce"] ?? "", sent["qop"] ?? ""].joined(separator: ":")
        guard sent["response"] == hash("\(key):\(middle):\(hash(target2))") else { return (.wrong("response"), nil) }
        if settings.qop == nil {
            guard sent["nc"] == nil, sent["qop"] == nil, sent["cnonce"] == nil else { return (.wrong("qop"), nil) }
        } else {
            guard let digits = sent["nc"], digits.utf8.count == 8, let count = UInt32(digits, radix: 16), count > 0,
                known.counts.insert(count).inserted
            else { return (.wrong("nc"), nil) }
            if known.counts.count > settings.usesPerNonce {
                state.nonces[nonce] = nil
                return (.stale, nil)
            }
        }
        known.sessionKey = key
        state.nonces[nonce] = known
        guard settings.sendsProof || settings.rotatesNonces else { return (.accepted, nil) }

        var parts: [String] = []
        if settings.rotatesNonces {
            let next = issue(&state, sessionKey: algorithm.hasSuffix("-sess") ? key : nil)
            parts.append("nextnonce=\"\(escaped(next))\"")
        }
        let start = parts
        let (isImpostor, sendsProof, keyText) = (settings.isImpostor, settings.sendsProof, key)
        return (
            .accepted,
            { @Sendable responseBody in
                guard sendsProof else { return start.joined(separator: ", ") }
                let qop = sent["qop"] ?? ""
                var target = ":\(target)"
                if qop == "auth-int" { target += ":\(DigestField.hash(Array(responseBody), algorithm))" }
                let proof = DigestField.hash(
                    Array("\(keyText):\(middle):\(DigestField.hash(Array(target.utf8), algorithm))".utf8), algorithm)
                let rest = [
                    "rspauth=\"\(isImpostor ? String(proof.reversed()) : proof)\"", "qop=\(qop)",
                    "cnonce=\"\(sent["cnonce"] ?? "")\"", "nc=\(sent["nc"] ?? "")",
                ]
                return (start + rest).joined(separator: ", ")
            }
        )
    }
}

private func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
}

/// The parameters of a field `Authorization: Digest`.
struct DigestField: Sendable {
    private var parameters: [String: String] = [:]

    init?(_ value: String) {
        guard value.hasPrefix("Digest ") else { return nil }
        var rest = Array(value.dropFirst(7))[...]
        while !rest.isEmpty {
            let name = String(rest.prefix { $0 != "=" }).trimmingCharacters(in: .whitespaces)
            rest = rest.drop { $0 != "=" }.dropFirst()
            var text = ""
            if rest.first == "\"" {
                rest = rest.dropFirst()
                while let character = rest.popFirst(), character != "\"" {
                    if character == "\\", let next = rest.popFirst() {
                        text.append(next)
                    } else {
                        text.append(character)
                    }
                }
            } else {
                text = String(rest.prefix { $0 != "," })
                rest = rest.dropFirst(text.count)
            }
            guard parameters.updateValue(text, forKey: name) == nil else { return nil }
            rest = rest.drop { $0 != "," }.dropFirst()
        }
    }

    subscript(name: String) -> String? { parameters[name] }

    /// The user of `username*`.
    var extendedUser: String? {
        guard let value = parameters["username*"], value.hasPrefix("UTF-8''") else { return nil }
        return value.dropFirst(7).removingPercentEncoding
    }

    /// The hash in hexadecimal digits, without the system's libraries.
    static func hash(_ bytes: [UInt8], _ algorithm: String) -> String {
        let digest =
            if algorithm.hasPrefix("sha-512-256") {
                MessageDigest(portable: .sha512t256)
            } else if algorithm.hasPrefix("sha-256") {
                MessageDigest(portable: .sha256)
            } else {
                MessageDigest(portable: .md5)
            }
        digest.update(bytes)
        let sum = (try? digest.finish()) ?? []
        return sum.map { String(format: "%02x", $0) }.joined()
    }
}
