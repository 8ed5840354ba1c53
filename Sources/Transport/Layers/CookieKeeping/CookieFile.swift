import Foundation
import HTTPMessages

/// The cookie file of Netscape: one cookie a line, with seven cells between tabs.
///
/// The cells are domain, whether subdomains are included, path, whether it is secure, expiration in seconds since 1970
/// (0 for a session cookie), name and value.
enum CookieFile {
    private static let httpOnlyPrefix = "#HttpOnly_"
    private static let comment = "# Netscape HTTP Cookie File\n"

    /// The end of the year 9999: later times are larger than some tools read.
    private static let latest: Int64 = 253_402_300_799

    static func text(of cookies: [Cookie]) -> String {
        cookies.compactMap(line).reduce(into: comment) { $0 += $1 + "\n" }
    }

    private static func line(of cookie: Cookie) -> String? {
        // A session cookie has 0, so an earlier date than that would read as one.
        let expires = cookie.expires.map { date in
            Int64(exactly: date.timeIntervalSince1970.rounded(.down)).map { min(max(1, $0), latest) } ?? latest
        }
        let cells = [
            (cookie.isHostOnly ? "" : ".") + cookie.domain, flag(!cookie.isHostOnly), cookie.path,
            flag(cookie.isSecure),
            String(expires ?? 0), cookie.name, cookie.value,
        ]
        guard !cells.contains(where: { $0.utf8.contains(0x09) }), !cookie.domain.hasPrefix("#") else { return nil }
        return (cookie.isHTTPOnly ? httpOnlyPrefix : "") + cells.joined(separator: "\t")
    }

    private static func flag(_ isSet: Bool) -> String { isSet ? "TRUE" : "FALSE" }

    static func cookies(in text: String, suffixes: PublicSuffixes) throws(HTTPMessageError) -> [Cookie] {
        var cookies: [Cookie] = []
        for (index, bytes) in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            var line = Substring(bytes.last == 0x0D ? bytes.dropLast() : bytes)
            let isHTTPOnly = line.hasPrefix(httpOnlyPrefix)
            if isHTTPOnly { line = line.dropFirst(httpOnlyPrefix.count) } else if line.hasPrefix("#") { continue }
            guard !line.utf8.allSatisfy(\.isHTTPWhitespace) else { continue }
            cookies.append(try cookie(in: line, number: index + 1, isHTTPOnly: isHTTPOnly, suffixes: suffixes))
        }
        return cookies
    }

    private static func cookie(
        in line: Substring, number: Int, isHTTPOnly: Bool, suffixes: PublicSuffixes
    ) throws(HTTPMessageError) -> Cookie {
        func damaged(_ problem: String) -> HTTPMessageError {
            HTTPMessageError(.invalidCookieFile, "Line \(number) of the cookie file \(problem).")
        }
        let cells = line.utf8.split(separator: 0x09, omittingEmptySubsequences: false).map { String(Substring($0)) }
        // Without a value, some tools leave out the last tab.
        guard cells.count == 7 || cells.count == 6 else {
            throw damaged("has \(cells.count) cells; seven cells with tabs between them are a cookie")
        }
        let flags = [cells[1], cells[3]].map { ["TRUE": true, "FALSE": false][$0.uppercased()] }
        guard let includesSubdomains = flags[0], let isSecure = flags[1] else {
            throw damaged("has a flag that is neither TRUE nor FALSE")
        }
        guard let seconds = Int64(cells[4]) else { throw damaged("has an expiration that is not a number of seconds") }
        let cookie: Cookie
        do {
            cookie = try Cookie(
                cells[5], cells.count == 7 ? cells[6] : "", domain: cells[0], path: cells[2].isEmpty ? "/" : cells[2],
                isHostOnly: !includesSubdomains, isSecure: isSecure, isHTTPOnly: isHTTPOnly,
                expires: seconds == 0 ? nil : Date(timeIntervalSince1970: TimeInterval(min(seconds, latest))))
        } catch {
            throw HTTPMessageError(
                .invalidCookieFile, "Line \(number) of the cookie file is not a cookie. \(error.message)")
        }
        guard suffixes.permits(cookie) else {
            throw damaged("is a cookie of a public suffix; a host-only cookie has FALSE as its second cell")
        }
        return cookie
    }
}
