/** Programs that destroy, reconfigure or connect (reference: high-risk names). Data only. */

export const HIGH_RISK_PROGRAMS: readonly string[] = [
  ...['rm', 'mkfs', 'dd', 'shutdown', 'reboot', 'halt', 'poweroff', 'sudo', 'su', 'chown', 'chmod'],
  ...['useradd', 'userdel', 'usermod', 'passwd', 'mount', 'umount'],
  ...['iptables', 'ufw', 'firewall-cmd'],
  ...['curl', 'wget', 'nc', 'ncat', 'netcat', 'scp', 'ssh', 'ftp', 'telnet'],
  // Windows
  ...['del', 'erase', 'rd', 'format', 'diskpart', 'reg', 'runas', 'icacls', 'takeown'],
  ...['bcdedit', 'vssadmin', 'schtasks', 'remove-item', 'invoke-webrequest'],
]
