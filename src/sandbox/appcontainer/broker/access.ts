/** C#: what an access list becomes when containers are let in or kept out. Computes, touches nothing. */

export const ACCESS: string = String.raw`
  /// Levels of access and the lists that give them.
  public static class Access {
    public const int Read = 0x1200A9;
    public const int Change = 0x1301BF;
    /// Without the right to delete or rename the object itself.
    public const int Hold = 0x1201BF;
    /// ALL APPLICATION PACKAGES and ALL RESTRICTED APPLICATION PACKAGES: entries that every container has.
    static readonly string[] Everybody = { "S-1-15-2-1", "S-1-15-2-2" };

    /// Levels that cut a path off from what its folder passes down.
    public static bool IsSeal(string level) {
      return level == "none" || level == "fixed" || level == "pinned";
    }

    /// What lies below a path of this level can be done.
    public static int Below(string level) {
      switch (level) {
        case "write": case "scratch": case "pinned": return Change;
        case "read": case "fixed": return Read;
        default: return 0;
      }
    }

    /// The stricter of two wishes for one path.
    public static string Stricter(string one, string other) {
      string[] order = { "none", "fixed", "pinned", "read", "write", "scratch" };
      return Array.IndexOf(order, one) <= Array.IndexOf(order, other) ? one : other;
    }

    /// The list of a path that is named itself: marks by container, and what its folders pass on to others.
    public static byte[] Named(
      byte[] before, bool isFolder, IDictionary<string, string> marks,
      IDictionary<string, int> passed, ICollection<string> known
    ) {
      bool isSealed = false;
      foreach (string level in marks.Values) isSealed |= IsSeal(level);
      RawSecurityDescriptor descriptor = new RawSecurityDescriptor(before, 0);
      if (marks.Count == 0 && descriptor.DiscretionaryAcl == null) return before;
      RawAcl list = Cleared(descriptor, known, isSealed);
      foreach (KeyValuePair<string, string> mark in marks) {
        foreach (CommonAce entry in Entries(mark.Key, mark.Value, isFolder)) Insert(list, entry);
      }
      foreach (KeyValuePair<string, int> one in passed) {
        if (one.Value == 0 || (!isSealed && IsProtected(descriptor))) continue;
        AceFlags flags = Inheriting(isFolder) | (isSealed ? 0 : AceFlags.Inherited);
        Insert(list, Allow(one.Key, one.Value, flags));
      }
      return Bytes(descriptor, list, isSealed || IsProtected(descriptor));
    }

    /// A list without the entries of containers that the journal knows: they are not the path's own.
    public static byte[] Own(byte[] now, bool isFolder, ICollection<string> known) {
      return Named(now, isFolder, new Dictionary<string, string>(), new Dictionary<string, int>(), known);
    }

    /// The list of what lies below, with the rights of one container; null when nothing changes.
    public static byte[] Inherited(byte[] now, bool isFolder, string sid, int rights) {
      RawSecurityDescriptor descriptor = new RawSecurityDescriptor(now, 0);
      if (descriptor.DiscretionaryAcl == null) return null;
      RawAcl list = Cleared(descriptor, new[] { sid }, false);
      if (rights != 0 && !IsProtected(descriptor)) {
        Insert(list, Allow(sid, rights, Inheriting(isFolder) | AceFlags.Inherited));
      }
      byte[] then = Bytes(descriptor, list, IsProtected(descriptor));
      return Same(then, Bytes(descriptor, descriptor.DiscretionaryAcl, IsProtected(descriptor))) ? null : then;
    }

    public static bool IsProtected(byte[] now) { return IsProtected(new RawSecurityDescriptor(now, 0)); }

    static bool IsProtected(RawSecurityDescriptor descriptor) {
      return (descriptor.ControlFlags & ControlFlags.DiscretionaryAclProtected) != 0;
    }

    static RawAcl Cleared(RawSecurityDescriptor descriptor, ICollection<string> sids, bool isSealed) {
      bool isOpen = descriptor.DiscretionaryAcl == null;
      RawAcl list = new RawAcl(isOpen ? (byte)2 : descriptor.DiscretionaryAcl.Revision, 8);
      if (isOpen) {
        list.InsertAce(0, Allow("S-1-1-0", 0x1F01FF, 0));
        return list;
      }
      foreach (GenericAce given in descriptor.DiscretionaryAcl) {
        GenericAce entry = given.Copy();
        KnownAce known = entry as KnownAce;
        string sid = known == null ? "" : known.SecurityIdentifier.Value;
        if (sids.Contains(sid) || (isSealed && Array.IndexOf(Everybody, sid) >= 0)) continue;
        if (isSealed) entry.AceFlags &= ~AceFlags.Inherited;
        list.InsertAce(list.Count, entry);
      }
      return list;
    }

    static IEnumerable<CommonAce> Entries(string sid, string level, bool isFolder) {
      AceFlags all = Inheriting(isFolder);
      switch (level) {
        case "none": yield break;
        case "read": case "fixed": yield return Allow(sid, Read, all); yield break;
        default:
          // The container never deletes or renames the folder that it was given, or one on the way to a seal.
          yield return Allow(sid, Hold, 0);
          if (isFolder) yield return Allow(sid, Change, all | AceFlags.InheritOnly);
          yield break;
      }
    }

    static AceFlags Inheriting(bool isFolder) {
      return isFolder ? AceFlags.ObjectInherit | AceFlags.ContainerInherit : 0;
    }

    static CommonAce Allow(string sid, int rights, AceFlags flags) {
      return new CommonAce(flags, AceQualifier.AccessAllowed, rights, new SecurityIdentifier(sid), false, null);
    }

    /// Explicit entries stand before inherited ones.
    static void Insert(RawAcl list, CommonAce entry) {
      int at = list.Count;
      if (!entry.IsInherited) {
        for (at = 0; at < list.Count && !list[at].IsInherited;) at++;
      }
      list.InsertAce(at, entry);
    }

    static byte[] Bytes(RawSecurityDescriptor descriptor, RawAcl list, bool isProtected) {
      ControlFlags kept = ControlFlags.SelfRelative | ControlFlags.DiscretionaryAclPresent;
      if ((descriptor.ControlFlags & ControlFlags.DiscretionaryAclAutoInherited) != 0) {
        // Only both together keep the mark of a list that inherits.
        kept |= ControlFlags.DiscretionaryAclAutoInherited | ControlFlags.DiscretionaryAclAutoInheritRequired;
      }
      if (isProtected) kept |= ControlFlags.DiscretionaryAclProtected;
      RawSecurityDescriptor made = new RawSecurityDescriptor(kept, null, null, null, list);
      byte[] bytes = new byte[made.BinaryLength];
      made.GetBinaryForm(bytes, 0);
      return bytes;
    }

    static bool Same(byte[] one, byte[] other) {
      if (one.Length != other.Length) return false;
      for (int at = 0; at < one.Length; at++) if (one[at] != other[at]) return false;
      return true;
    }
  }
`
