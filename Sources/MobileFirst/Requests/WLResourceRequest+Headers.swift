import HTTPMessages

// Headers. Names are case-insensitive.

extension WLResourceRequest {
    /// The headers in their order; initially empty. Setting it replaces all, and joins the values of one name.
    public var headers: [WLHeader]! {
        get { headerLines.map { WLHeader(headerName: $0.name, headerValue: $0.value) } }
        set {
            headerLines = []
            for header in newValue ?? [] { addHeaderValue(header.headerValue, forName: header.headerName) }
        }
    }

    /// Sets a header, and replaces all values of that name.
    /// - Parameter value: a string, number or Boolean, also as an `NSObject`.
    public func setHeaderValue(_ value: Any?, forName name: String!) {
        guard let text = headerText(value, of: name), let name else { return }
        guard let index = headerLines.firstIndex(where: { $0.name.isSameHeader(as: name) }) else {
            return headerLines.append((name, text))
        }
        headerLines[index] = (name, text)
    }

    /// ``setHeaderValue(_:forName:)`` with the label of the vendor's Swift class.
    public func setHeaderValue(value: Any?, forName name: String!) { setHeaderValue(value, forName: name) }

    /// Adds a value to a header, after a comma if the header has one already; a `Cookie` after a semicolon.
    public func addHeaderValue(_ value: Any?, forName name: String!) {
        guard let text = headerText(value, of: name), let name else { return }
        guard let index = headerLines.firstIndex(where: { $0.name.isSameHeader(as: name) }) else {
            return headerLines.append((name, text))
        }
        headerLines[index].value += (name.isSameHeader(as: "Cookie") ? "; " : ", ") + text
    }

    /// ``addHeaderValue(_:forName:)`` with the label of the vendor's Swift class.
    public func addHeaderValue(value: Any?, forName name: String!) { addHeaderValue(value, forName: name) }

    /// Removes a header with all its values.
    public func removeHeaders(forName name: String!) {
        guard let name else { return }
        headerLines.removeAll { $0.name.isSameHeader(as: name) }
    }

    private func headerText(_ value: Any?, of name: String!) -> String? {
        guard let name else {
            fail("The name of a header is nil; use a String.")
            return nil
        }
        do throws(JSONError) {
            let value = try JSONValue(foundation: value as Any)
            let isSimple = value.string != nil || value.bool != nil || value.double != nil
            if isSimple, let text = try value.parameterText { return text }
            fail("The value of header \(name) is not a string, number or Boolean; use a String.")
        } catch {
            fail("Invalid value of header \(name): \(error.message)")
        }
        return nil
    }
}

extension String {
    /// True if two header names differ at most in case.
    func isSameHeader(as other: String) -> Bool { lowercased() == other.lowercased() }
}
