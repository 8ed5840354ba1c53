/// A challenge of a password scheme.
enum SupportedChallenge: Hashable, Sendable {
    case basic(realm: String)
    case digest(DigestChallenge)

    var scheme: PasswordScheme {
        switch self {
        case .basic: .basic
        case .digest: .digest
        }
    }

    var realm: String {
        switch self {
        case .basic(let realm): realm
        case .digest(let challenge): challenge.realm
        }
    }

    /// Stronger ones are greater: Basic sends the password itself.
    private var strength: Int {
        switch self {
        case .basic: 0
        case .digest(let challenge): challenge.algorithm.strength
        }
    }

    /// - Throws: the name of what is not supported.
    init(_ challenge: AuthenticationChallenge) throws(UnsupportedScheme) {
        switch challenge.scheme {
        case "basic": self = .basic(realm: challenge.realm ?? "")
        case "digest": self = .digest(try DigestChallenge(challenge))
        case "ntlm": throw UnsupportedScheme("NTLM")
        default: throw UnsupportedScheme(challenge.scheme.prefix(1).uppercased() + challenge.scheme.dropFirst())
        }
    }

    /// The strongest challenge; the first of equal ones.
    /// - Parameters:
    ///   - schemes: the schemes that may be used.
    ///   - unsupported: gets the names of the other challenges.
    static func strongest(
        of challenges: [AuthenticationChallenge], _ schemes: Set<PasswordScheme>, unsupported: inout [String]
    ) -> SupportedChallenge? {
        var strongest: SupportedChallenge?
        for challenge in challenges {
            do throws(UnsupportedScheme) {
                let supported = try SupportedChallenge(challenge)
                guard schemes.contains(supported.scheme) else {
                    throw UnsupportedScheme(supported.scheme == .basic ? "Basic" : "Digest")
                }
                if strongest.map({ $0.strength < supported.strength }) ?? true { strongest = supported }
            } catch {
                // Enough for a message; a server may send any number.
                if unsupported.count < 16, !unsupported.contains(error.name) { unsupported.append(error.name) }
            }
        }
        return strongest
    }
}
