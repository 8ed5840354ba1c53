import HTTPMessages

/// The page that the browser shows after the redirect. It shows nothing of the request.
struct RedirectPage: Equatable {
    let status: HTTPStatus
    let title: String
    let text: String

    /// The response was taken.
    static let success = RedirectPage(
        status: .ok, title: "Signed in", text: "You can close this window and return to the app.")

    /// The page for the error of a response that fails the sign-in, or was refused.
    init(_ error: SignInError) {
        guard error.code != .stateMismatch else {
            self.init(
                status: .badRequest, title: "Not signed in",
                text: "This page belongs to another sign-in. End the latest one, or return to the app.")
            return
        }
        let isDenied = [.accessDenied, .refused].contains(error.code)
        self.init(
            status: isDenied ? .ok : .badRequest, title: "Not signed in",
            text: "Return to the app to see why, and start again there.")
    }

    /// The page for a request that is not the redirect.
    init(refusing status: HTTPStatus) {
        self.init(status: status, title: "\(status)", text: "This address is only for the end of a sign-in.")
    }

    init(status: HTTPStatus, title: String, text: String) {
        self.status = status
        self.title = title
        self.text = text
    }

    /// The HTTP response. The address of this page has the code: it is neither stored nor passed on.
    var bytes: [UInt8] {
        let html = """
            <!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>\(title)</title></head>\
            <body style="font-family: sans-serif; margin: 4em"><h1>\(title)</h1><p>\(text)</p></body></html>
            """
        var lines = [
            "HTTP/1.1 \(status.code) \(status.reasonPhrase)", "Content-Type: text/html; charset=utf-8",
            "Content-Length: \(html.utf8.count)", "Connection: close", "Cache-Control: no-store",
            "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
            "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'",
        ]
        if status == .methodNotAllowed { lines.append("Allow: GET") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + html).utf8)
    }
}
