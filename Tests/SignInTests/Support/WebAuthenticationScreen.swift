#if canImport(AuthenticationServices) && !os(watchOS)
    import Authentication
    import AuthenticationServices
    import SignIn

    /// The guide's spelling compiles, with a window of the app's.
    @MainActor private final class Screen {
        var window: ASPresentationAnchor?

        func signIn(_ login: OAuthLogin) async throws {
            _ = try await login.tokens(
                scopes: ["a"], opening: .webAuthentication { self.window ?? ASPresentationAnchor() })
            _ = try await login.signIn(
                scopes: ["a"], opening: .webAuthentication(isEphemeral: true) { self.window ?? ASPresentationAnchor() })
        }
    }
#endif
