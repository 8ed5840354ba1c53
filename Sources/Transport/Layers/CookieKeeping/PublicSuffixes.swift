public import Foundation
public import HTTPMessages
import SystemLibraries

/// Names under which different owners register domains, such as `com` and `co.uk` (publicsuffix.org).
///
/// A cookie for one of them would be sent to servers that do not trust each other, so a jar does not store it.
///
/// ```swift
/// let jar = CookieJar(suffixes: try PublicSuffixes(contentsOf: listURL))
/// ```
public struct PublicSuffixes: Sendable {
    private enum Source: Sendable {
        case library(PublicSuffixFunctions)
        case list(PublicSuffixList)
        case conservative
    }

    private let source: Source

    /// The list of the system, loaded once: of libpsl; otherwise of the file
    /// `/usr/share/publicsuffix/public_suffix_list.dat`; otherwise ``conservative``, as on Apple platforms.
    public static let system = PublicSuffixes(
        source: (try? PublicSuffixFunctions.system.get()).map(Source.library)
            ?? (try? list(at: "/usr/share/publicsuffix/public_suffix_list.dat")).map(Source.list) ?? .conservative)

    /// A rule without data: names without a dot, and common second labels such as `co`, `com` and `gov` under a
    /// top-level domain of two letters.
    ///
    /// It misses suffixes of other forms, such as `kyoto.jp` and `github.io`.
    public static let conservative = PublicSuffixes(source: .conservative)

    /// Reads a list in the format of publicsuffix.org; rules of its private section count too.
    /// - Throws: `HTTPMessageError` (`invalidSuffixList`) if the file cannot be read, or has no rule or an invalid one.
    public init(contentsOf file: URL) throws(HTTPMessageError) {
        self.init(source: .list(try Self.list(at: file.path)))
    }

    private init(source: Source) { self.source = source }

    private static func list(at path: String) throws(HTTPMessageError) -> PublicSuffixList {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw HTTPMessageError(
                .invalidSuffixList, "Cannot read public suffix list \(path.debugDescription); check its path.")
        }
        return try PublicSuffixList(data)
    }

    /// True for a public suffix: a name that is in the list, or has no dot.
    /// - Parameter domain: a name in ASCII, with or without the dot of the root at its end; IP addresses are not
    ///   public suffixes.
    public func contains(_ domain: String) -> Bool {
        var name = domain.lowercased()
        while name.utf8.last == UInt8(ascii: ".") { name.removeLast() }
        guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: ":")) else { return false }
        guard name.utf8.contains(UInt8(ascii: ".")) else { return true }
        guard name.canHaveSubdomains else { return false }
        return switch source {
        case .library(let library): library.contains(name)
        case .list(let list): list.contains(name)
        case .conservative: name.hasCommonSecondLabel
        }
    }

    /// False for a cookie of a public suffix and its subdomains.
    func permits(_ cookie: Cookie) -> Bool { cookie.isHostOnly || !contains(cookie.domain) }
}

extension String {
    private static let commonSecondLabels: Set<Substring> = [
        "ac", "co", "com", "edu", "gob", "gouv", "gov", "govt", "ltd", "mil", "ne", "net", "nom", "or", "org", "plc",
        "sch",
    ]

    /// True for a name of two labels such as `co.uk`.
    fileprivate var hasCommonSecondLabel: Bool {
        let labels = split(separator: ".", omittingEmptySubsequences: false)
        return labels.count == 2 && labels[1].utf8.count == 2 && Self.commonSecondLabels.contains(labels[0])
    }
}
