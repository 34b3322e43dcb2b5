import FireLiteCore

extension QueryElementPath where Object: FHIRReference {
    /// Whether some reference at the path leads to the resource, as `FHIRReference.resolve` does: `Type/id` or an absolute URL with that
    /// ending, with or without a version, or its id or pk as `urn:uuid:`.
    public func refers(to resource: FHIRResource) -> QueryCondition {
        var texts = resource.id.map { Predicate.references(to: resource.resourceType, id: $0) } ?? []
        texts.append(ReferenceParts.uuidPrefix + resource.pk)
        return QueryCondition(.refers(path, texts))
    }

    /// Whether some reference at the path leads to the resource with this type and id.
    public func refers<Resource: FHIRResource>(to type: Resource.Type, id: String) -> QueryCondition {
        QueryCondition(.refers(path, Predicate.references(to: type._layout.name, id: id)))
    }

    /// The stored resources of a type that references at the path lead to, as `FHIRReference.resolve` does.
    public func target<Resource: FHIRResource>(_ type: Resource.Type) -> TargetPath<Resource> { TargetPath(path: path) }
}

/// The stored resources of one type that references point to.
///
/// It follows `Patient/1` and `http` and `https` URLs with that ending, with a version (`Patient/1/_history/2`) or without, and `urn:uuid:`
/// with an id or a pk.
public struct TargetPath<Resource: FHIRResource>: Sendable {
    let path: QueryPath

    /// Whether some target meets the condition.
    public func any(_ condition: (ElementPath<Resource>) -> QueryCondition) -> QueryCondition {
        QueryCondition(.target(path, Resource._layout, condition(ElementPath(QueryPath())).predicate))
    }

    /// Whether no target meets the condition.
    public func none(_ condition: (ElementPath<Resource>) -> QueryCondition) -> QueryCondition { !any(condition) }

    /// Whether some target is stored.
    public var exists: QueryCondition { any { _ in .constant(true) } }
}

extension ElementPath where Object: FHIRResource {
    /// Whether a stored resource of another type points here and meets a condition: patients that have an Observation with ….
    ///
    /// ```swift
    /// store.query(Patient.self).where { $0.isReferred(from: Observation.self, by: { $0.subject }) { $0.status == .final } }
    /// ```
    /// It follows the same references as `target`.
    /// - Precondition: applied to the queried resource, or to a resource in `target` or `isReferred`.
    public func isReferred<Source: FHIRResource, Path: QueryElementPath>(
        from type: Source.Type, by reference: (ElementPath<Source>) -> Path,
        where condition: (ElementPath<Source>) -> QueryCondition = { _ in .constant(true) }
    ) -> QueryCondition where Path.Object: FHIRReference {
        misuse(unless: path.isEmpty, "isReferred applies to a resource as a whole: use it on $0")
        let root = ElementPath<Source>(QueryPath())
        return QueryCondition(.referredBy(type._layout, reference(root).path, condition(root).predicate))
    }

    /// Whether the full-text index contains each of the words for the resource: `jos*` for words with that beginning, `"a b"` for a phrase.
    ///
    /// - Precondition: applied to the queried resource as a whole.
    public func matching(_ words: String) -> QueryCondition {
        misuse(unless: path.isEmpty, "matching applies to a resource as a whole: use it on $0")
        return QueryCondition(.matching(FullTextTerm.terms(words)))
    }
}
