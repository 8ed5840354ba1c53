/// An element of a parsed XML document.
struct XMLTree: Hashable, Sendable {
    struct Attribute: Hashable, Sendable {
        /// The namespace URI; empty without one.
        let namespace: String
        let name: String
        let value: String
    }

    /// The namespace URI; empty without one.
    let namespace: String
    /// The name without its prefix.
    let name: String
    let attributes: [Attribute]
    var children: [XMLTree] = []
    /// The text outside of the children.
    var text = ""

    /// The value of an attribute.
    subscript(attribute name: String, in namespace: String = "") -> String? {
        attributes.first { $0.name == name && $0.namespace == namespace }?.value
    }

    /// The first child of a name.
    func first(_ name: String, in namespace: String) -> XMLTree? {
        children.first { $0.name == name && $0.namespace == namespace }
    }

    /// The children of a name.
    func all(_ name: String, in namespace: String) -> [XMLTree] {
        children.filter { $0.name == name && $0.namespace == namespace }
    }
}

/// The namespaces of OData's Atom format.
enum XMLNamespace {
    static let xml = "http://www.w3.org/XML/1998/namespace"
    static let atom = "http://www.w3.org/2005/Atom"
    static let data = "http://schemas.microsoft.com/ado/2007/08/dataservices"
    static let metadata = "http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"
    /// Prefix of the relation of a link to a navigation property.
    static let related = "http://schemas.microsoft.com/ado/2007/08/dataservices/related/"
}
